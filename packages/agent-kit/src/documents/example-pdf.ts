// Makes small PDFs for tests: with a page for each text, without a line end inside, or as a scanner writes them.

export function examplePdf(...pages: readonly string[]): Buffer {
  return buildPdf(pages.map(textPage));
}

function textPage(text: string): ExamplePage {
  return {
    drawing: `BT /F1 12 Tf 20 100 Td (${text}) Tj ET`,
    resources: "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>",
  };
}

interface ExampleImage {
  readonly width: number;
  readonly height: number;
  /** A JPEG with colours, or a bit for each pixel, whose rows begin with a new byte. */
  readonly data: { readonly jpeg: Buffer } | { readonly bits: Buffer };
}

/** The left half is black, the right half white. */
export const exampleJpeg: ExampleImage = {
  width: 32,
  height: 16,
  data: {
    jpeg: Buffer.from(
      "/9j/4AAQSkZJRgABAgAAAQABAAD/wAARCAAQACADAREAAhEBAxEB/9sAQwAUDg8SDw0UEhASFxUUGB4yIR4cHB49LC4kMklATEtHQEZFUFpzYlBVbVZFRmSIZW13e4GCgU5gjZeMfZZzfoF8/9sAQwEVFxceGh47ISE7fFNGU3x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDjKACgD2agAoA8ZoAKAPZqACgD/9k=",
      "base64",
    ),
  },
};

/** Each page has its picture on all of it, and no text; a text in place of a picture is a page without one. */
export function exampleScan(...pages: readonly (ExampleImage | string)[]): Buffer {
  return buildPdf(pages.map((page) => (typeof page === "string" ? textPage(page) : picturePage(page))));
}

function picturePage({ width, height, data }: ExampleImage): ExamplePage {
  const [bytes, format] =
    "jpeg" in data
      ? [data.jpeg, "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode"]
      : [data.bits, "/ColorSpace /DeviceGray /BitsPerComponent 1"];
  const image = buildStream(`/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${format}`, bytes);
  return { drawing: "q 300 0 0 200 0 0 cm /I1 Do Q", resources: "/XObject << /I1 IMAGE >>", image };
}

interface ExamplePage {
  readonly drawing: string;
  /** `IMAGE` stands for the number of the image. */
  readonly resources: string;
  readonly image?: Buffer;
}

function buildPdf(pages: readonly ExamplePage[]): Buffer {
  const first = 3;
  const perPage = 3;
  const kids = pages.map((_, index) => `${first + perPage * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    ...pages.flatMap(({ drawing, resources, image }, index) => {
      const number = first + perPage * index;
      const named = resources.replace("IMAGE", `${number + 2} 0 R`);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${number + 1} 0 R /Resources << ${named} >> >>`,
        buildStream("", Buffer.from(drawing)),
        image ?? "null",
      ];
    }),
  ];
  return Buffer.concat([
    Buffer.from("%PDF-1.4\n"),
    ...objects.flatMap((object, index) => [
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from("\nendobj\n"),
    ]),
    Buffer.from(`trailer << /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`),
  ]);
}

function buildStream(entries: string, bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}
