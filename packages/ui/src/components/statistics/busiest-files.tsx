// The files that tool calls touched most. A host that does not count files shows nothing here.

import type { QueryArgs } from "../../connection/query.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { count } from "../../text/sizes.ts";

type FileRow = {
  readonly stat: string;
  readonly path?: string | null;
  readonly count: number;
  readonly failed: number;
};

export function BusiestFiles({ range }: { range: QueryArgs }) {
  const { rows } = useQuery<FileRow>("stats", { ...range, group_by: ["path"], limit: 20 });
  const files = (rows ?? [])
    .filter((row) => typeof row.path === "string")
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 20);
  const most = files[0]?.count ?? 1;
  if (files.length === 0) return null;
  return (
    <section className="chart">
      <h2>Busiest files</h2>
      <table>
        <tbody>
          {files.map((row) => (
            <tr key={row.path}>
              <th scope="row">
                <code>{row.path}</code>
              </th>
              <td>{count(row.count)}</td>
              <td className="span-bar">
                <i style={{ width: `${(row.count / most) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
