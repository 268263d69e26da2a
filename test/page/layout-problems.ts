// Finds what is truncated, wider than the screen, or lies over other text, in what the page shows now.
import type { Page } from "playwright-core";

/** One sentence for each problem. What scrolls inside its own box, and what is shortened with an ellipsis, is none. */
export async function layoutProblems(page: Page): Promise<readonly string[]> {
  return await page.locator("body").evaluate((body) => {
    type Element = typeof body;
    type Box = ReturnType<Element["getBoundingClientRect"]>;
    const view = body.ownerDocument.defaultView;
    if (view === null) return ["no window"];
    const problems: string[] = [];
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} “${(element.textContent ?? "").trim().slice(0, 40)}”`;
    if (body.ownerDocument.documentElement.scrollWidth > view.innerWidth)
      problems.push(`the page is ${body.ownerDocument.documentElement.scrollWidth} px wide`);
    /** What may scroll sideways: code, output and tables. */
    const wide = "pre, code, table, .diff, .table, textarea, input";
    for (const element of body.querySelectorAll("*"))
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && !element.matches(wide))
        if (["auto", "scroll"].includes(view.getComputedStyle(element).overflowX))
          problems.push(`scrolls sideways: ${nameOf(element)}`);
    const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
    /** The part of a box that its ancestors show, and whether one of them hides the rest for good; null when nothing is left. */
    const seen = (element: Element, rect: Box) => {
      let { left, top, right, bottom } = rect;
      let isScrolled = false;
      let isTruncated = false;
      for (let parent = element; parent !== null; parent = parent.parentElement) {
        const { overflowX, overflowY, textOverflow, paddingRight } = view.getComputedStyle(parent);
        if (overflowX === "visible" && overflowY === "visible") continue;
        const box = parent.getBoundingClientRect();
        if (!hides(overflowX)) isScrolled ||= parent.scrollWidth > parent.clientWidth;
        else if (textOverflow !== "ellipsis" && !isScrolled)
          isTruncated ||= right > box.right + 1 || left < box.left - 1;
        [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
        // An ellipsis ends the text before the padding.
        const end = box.right - (textOverflow === "ellipsis" ? Number.parseFloat(paddingRight) : 0);
        [right, bottom] = [Math.min(right, end), Math.min(bottom, box.bottom)];
      }
      [top, bottom] = [Math.max(top, 0), Math.min(bottom, view.innerHeight)];
      return right - left < 2 || bottom - top < 2 ? null : { left, top, right, bottom, isScrolled, isTruncated };
    };
    const texts: { element: Element; left: number; top: number; right: number; bottom: number }[] = [];
    for (const element of body.querySelectorAll("*")) {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element.closest(".visually-hidden, .skip-link, svg, option, datalist, .key-hint") !== null) continue;
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === 3 && (node.textContent ?? "").trim() !== "",
      );
      const isControl = ["BUTTON", "INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
      if (!hasText && !isControl) continue;
      const range = body.ownerDocument.createRange();
      range.selectNodeContents(element);
      for (const rect of isControl ? [element.getBoundingClientRect()] : range.getClientRects()) {
        const part = seen(element, rect);
        if (part === null) continue;
        if (part.isTruncated) problems.push(`truncated: ${nameOf(element)}`);
        if (!part.isScrolled && (part.right > view.innerWidth + 1 || part.left < -1))
          problems.push(`outside the screen: ${nameOf(element)}`);
        texts.push({ element, ...part });
      }
    }
    const isOpaque = (element: Element) =>
      !/^(transparent|rgba\(.*, 0(\.\d+)?\))$/.test(view.getComputedStyle(element).backgroundColor);
    /** Whether one of them lies under something that hides it there, as under a panel. */
    const isCovered = (a: Element, b: Element, x: number, y: number) => {
      const stack = body.ownerDocument.elementsFromPoint(x, y);
      const at = (element: Element) => stack.findIndex((each: Element) => element.contains(each));
      const [upper, lower] = at(a) <= at(b) ? [a, b] : [b, a];
      if (at(a) < 0 || at(b) < 0) return true;
      return stack.slice(at(upper), at(lower)).some((each: Element) => isOpaque(each) && !each.contains(lower));
    };
    const isInside = (a: Element, b: Element) => a.contains(b) || b.contains(a);
    for (const [index, a] of texts.entries())
      for (const b of texts.slice(index + 1)) {
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Lines of one paragraph touch each other by a few pixels.
        if (width <= 3 || height <= 6 || isInside(a.element, b.element)) continue;
        const [x, y] = [Math.max(a.left, b.left) + width / 2, Math.max(a.top, b.top) + height / 2];
        if (!isCovered(a.element, b.element, x, y))
          problems.push(`overlap: ${nameOf(a.element)} and ${nameOf(b.element)}`);
      }
    return [...new Set(problems)];
  });
}
