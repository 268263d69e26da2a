// A stacked bar chart by day, drawn as SVG, with the same numbers in a table. The parts differ in lightness, not only in hue.
import { Fold } from "../shared/fold.tsx";
import { type Series, sum } from "./series.ts";

interface BarChartProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Use the colours of another chart: the same name has the same colour in both. */
  readonly coloursOf?: readonly Series[];
}

const height = 120;

export function BarChart({ title, days, series, format, coloursOf = series }: BarChartProps) {
  if (series.length === 0) return null;
  const maxTotal = Math.max(...days.map((_, day) => sum(series.map(({ values }) => values[day] ?? 0))), 1e-9);
  // On a phone a wide chart would make the text too small.
  const width = innerWidth > 720 ? 720 : 360;
  const step = width / days.length;
  return (
    <section className="chart">
      <h2>{title}</h2>
      <ul className="legend">
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <i data-part={choosePart(name, coloursOf, index)} /> {name} <b>{format(sum(values))}</b>
          </li>
        ))}
      </ul>
      <svg
        viewBox={`0 0 ${width} ${height + 16}`}
        role="img"
        aria-label={`${title}, at most ${format(maxTotal)} per day`}
      >
        <line x1="0" x2={width} y1={height} y2={height} className="axis" />
        <line x1="0" x2={width} y1="14" y2="14" className="axis most" />
        <text x="0" y="9" className="axis-text">
          {format(maxTotal)}
        </text>
        {days.map((day, index) => (
          <Bar
            key={day}
            day={day}
            x={index * step}
            step={step}
            parts={buildParts(series, coloursOf, index, maxTotal)}
            format={format}
          />
        ))}
        <text x="0" y={height + 13} className="axis-text">
          {dayName(days[0])}
        </text>
        <text x={width} y={height + 13} textAnchor="end" className="axis-text">
          {dayName(days.at(-1))}
        </text>
      </svg>
      <Fold className="numbers" summary="Show table">
        <table>
          <thead>
            <tr>
              <th scope="col">day</th>
              {series.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(
              (day, index) =>
                series.some(({ values }) => (values[index] ?? 0) > 0) && (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {series.map(({ name, values }) => (
                      <td key={name}>{format(values[index] ?? 0)}</td>
                    ))}
                  </tr>
                ),
            )}
          </tbody>
        </table>
      </Fold>
    </section>
  );
}

interface Part {
  readonly name: string;
  readonly part: number;
  readonly value: number;
  readonly y: number;
  readonly size: number;
}

/** Stacked from the bottom up. */
function buildParts(
  series: readonly Series[],
  coloursOf: readonly Series[],
  day: number,
  maxTotal: number,
): readonly Part[] {
  let y = height;
  return series.map(({ name, values }, index) => {
    const value = values[day] ?? 0;
    const size = (value / maxTotal) * (height - 14);
    y -= size;
    return { name, part: choosePart(name, coloursOf, index), value, y, size };
  });
}

interface BarProps {
  readonly day: string;
  readonly x: number;
  readonly step: number;
  readonly parts: readonly Part[];
  readonly format: (value: number) => string;
}

function Bar({ day, x, step, parts, format }: BarProps) {
  const gap = Math.min(3, step * 0.2);
  return parts.map(
    ({ name, part, value, y, size }) =>
      value > 0 && (
        <rect key={name} x={x + gap / 2} y={y} width={step - gap} height={Math.max(1, size)} data-part={part}>
          <title>{`${day}: ${name} ${format(value)}`}</title>
        </rect>
      ),
  );
}

/** "2026-03-12" as "12 Mar". */
function dayName(day = ""): string {
  const [, month = "", date = ""] = new Date(`${day}T12:00`).toDateString().split(" ");
  return `${Number(date)} ${month}`;
}

function choosePart(name: string, coloursOf: readonly Series[], otherwise: number): number {
  const index = coloursOf.findIndex((series) => series.name === name);
  return index < 0 ? otherwise : index;
}
