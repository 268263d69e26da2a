// The icons of tool kinds and buttons, in the colour of the text around them.
const paths: Readonly<Record<string, string>> = {
  read: "M4 1.8h5.4L12.5 5v9.2H4z M9.2 1.8v3.4h3.3 M6 8h4.5 M6 10.6h4.5",
  edit: "M2.5 13.5l.8-3.2 7.6-7.6 2.4 2.4-7.6 7.6z M9.6 4L12 6.4",
  delete: "M3 4.2h10 M6.2 4V2.5h3.6V4 M4.2 4.2l.6 9.3h6.4l.6-9.3 M6.8 6.8v4.4 M9.2 6.8v4.4",
  move: "M2 4h4l1.4 1.6H14v7.4H2z M6 9.4h4.4 M8.8 7.6l1.8 1.8-1.8 1.8",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4z M10.2 10.2L14 14",
  execute: "M2 3h12v10H2z M4.5 6l2 2-2 2 M8 10.2h3.4",
  think: "M8 2.2a4.3 4.3 0 0 0-2.4 7.9v1.7h4.8v-1.7A4.3 4.3 0 0 0 8 2.2z M6.4 13.8h3.2",
  fetch:
    "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z M2 8h12 M8 2c2 1.6 2.6 3.8 2.6 6S10 12.400 8 14 M8 2C6 3.600 5.400 5.800 5.400 8S6 12.400 8 14",
  switch_mode: "M3 5.500h8 M9 3.200l2.400 2.300L9 7.800 M13 10.500H5 M7 8.200l-2.400 2.300L7 12.800",
  other: "M8 2.200l5 2.900v5.800l-5 2.900-5-2.900V5.100z M3 5.100l5 2.900 5-2.900 M8 8v5.800",
  branch:
    "M5 3.2v9.6 M5 3.2h.01 M5 12.800h.01 M11 3.200h.01 M11 3.200v2.300c0 1.600-1.200 2.500-3 2.500-1.800 0-3 .9-3 2.500",
  panel: "M2 3h12v10H2z M10 3v10",
  copy: "M5.500 5.500h7.500v8H5.500z M10.500 5.500v-3H3v8h2.500",
  quote: "M3 3v10 M6 5h7.500 M6 8h7.500 M6 11h5",
  done: "M3 8.500l3.300 3.300L13 4.800",
  more: "M3.500 8h.01 M8 8h.01 M12.500 8h.01",
};

export function Icon({ name }: { name: string }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
      <path
        d={paths[name] ?? paths.other}
        fill="none"
        stroke="currentColor"
        strokeWidth={name === "more" ? 2 : 1.2}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
