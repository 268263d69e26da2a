// The files that tool calls named most often.

import type { QueryArgs } from "@signalbox/protocol";
import { count } from "@signalbox/protocol/sizes";
import { useQuery } from "@signalbox/react";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { LoadProblem } from "../shared/load-problem.tsx";

export function BusiestFiles({ range }: { range: QueryArgs<"stats"> }) {
  const folderName = useFolderName();
  const state = useQuery("stats", { ...range, group_by: ["path"], limit: 20 });
  const files = (state.rows ?? []).flatMap((row) =>
    row.stat === "tool_calls" && row.path !== undefined ? [{ ...row, path: row.path }] : [],
  );
  const maxCount = files[0]?.count ?? 1;
  if (files.length === 0) return <LoadProblem what="The busiest files" state={state} />;
  return (
    <section className="chart">
      <h2>Busiest files</h2>
      <LoadProblem what="The busiest files" state={state} />
      <p className="hint">Files that agents named in their tool calls. Files changed by a command are not included.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">file</th>
            <th scope="col">calls</th>
            <th scope="col">failed</th>
            <th scope="col">
              <span className="visually-hidden">chart</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((row) => (
            <tr key={row.path}>
              <th scope="row">
                <code title={row.path}>
                  <bdi>{folderName(row.path)}</bdi>
                </code>
              </th>
              <td>{count(row.count)}</td>
              <td>{row.failed === 0 ? "" : count(row.failed)}</td>
              <td className="span-bar">
                <i style={{ width: `${(row.count / maxCount) * 100}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
