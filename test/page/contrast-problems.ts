// Finds text whose colour is too near to its background (WCAG AA), in what the page shows now. axe leaves most of it undecided.
import type { Page } from "playwright-core";

/** One sentence for each kind of element that has too little contrast. Disabled controls are exempt. */
export async function contrastProblems(page: Page): Promise<readonly string[]> {
  return await page.locator("body").evaluate((body) => {
    type Element = typeof body;
    type Colour = readonly [red: number, green: number, blue: number, alpha: number];
    const view = body.ownerDocument.defaultView;
    if (view === null) return ["no window"];
    const canvas = body.ownerDocument.createElement("canvas");
    canvas.width = 1;
    canvas.height = 1;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (context === null) return ["no canvas"];
    const known = new Map<string, Colour>();
    /** Any CSS colour, also such as oklch and color-mix. */
    const parse = (css: string): Colour => {
      const found = known.get(css);
      if (found !== undefined) return found;
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = css;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
      const colour: Colour = [red, green, blue, alpha / 255];
      known.set(css, colour);
      return colour;
    };
    const over = (upper: Colour, lower: Colour): Colour => {
      const mix = (place: 0 | 1 | 2) => upper[place] * upper[3] + lower[place] * (1 - upper[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const luminance = ([red, green, blue]: Colour) => {
      const part = (value: number) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    };
    const backgroundOf = (element: Element): Colour => {
      const layers: Colour[] = [];
      // oxlint-disable-next-line no-redundant-type-constituents -- tests have no DOM types
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const layer = parse(view.getComputedStyle(at).backgroundColor);
        layers.push(layer);
        if (layer[3] === 1) break;
      }
      return layers.reduceRight((lower, upper) => over(upper, lower), parse("canvas"));
    };
    const problems = new Map<string, string>();
    for (const element of body.querySelectorAll("*")) {
      const text = [...element.childNodes]
        .filter((node) => node.nodeType === 3)
        .map((node) => node.textContent ?? "")
        .join("")
        .trim();
      if (text === "" || element.closest(":disabled, [aria-disabled=true], svg, option, .visually-hidden") !== null)
        continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const style = view.getComputedStyle(element);
      const background = backgroundOf(element);
      const colour = over(parse(style.color), background);
      const [light, dark] = [luminance(colour), luminance(background)].toSorted((a, b) => b - a);
      const ratio = ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio >= (isLarge ? 3 : 4.5)) continue;
      const name = `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} in .${element.parentElement?.getAttribute("class") ?? ""}`;
      if (!problems.has(name)) problems.set(name, `${name} “${text.slice(0, 30)}”: ${ratio.toFixed(2)}`);
    }
    return [...problems.values()];
  });
}
