// Tests the addresses that open files in editors: whatever a file is called, the address is that of this file.
import { expect, it } from "vitest";
import { type Editor, editorAddress } from "./editor-links.ts";

it("opens exactly this file, whatever it is called", () => {
  const path = "/home/me/a b/#1?x=1&y.ts";
  expect(editorAddress("vscode", path)).toBe("vscode://file/home/me/a%20b/%231%3Fx%3D1%26y.ts");
  expect(editorAddress("zed", "/a/b.ts")).toBe("zed://file/a/b.ts");
  expect(editorAddress("idea", path)).toBe("idea://open?file=%2Fhome%2Fme%2Fa%20b%2F%231%3Fx%3D1%26y.ts");
});

it("goes to a line", () => {
  expect(editorAddress("zed", "/a/b.ts", 12)).toBe("zed://file/a/b.ts:12");
  expect(editorAddress("idea", "/a", 3)).toBe("idea://open?file=%2Fa&line=3");
});

it("gives none where no editor is chosen, or one that is not known", () => {
  expect(editorAddress("none", "/a")).toBeNull();
  expect(editorAddress("command", "/a")).toBeNull();
  expect(editorAddress("javascript" as Editor, "/a")).toBeNull();
});
