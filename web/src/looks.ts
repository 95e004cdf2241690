// Colours, dashes and symbols. Colours are CSS variables (style.css), so that a chart follows the
// light or dark scheme without being drawn again; no two things differ by colour alone.

export const colours = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)"];
const dashes = ["none", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2"];

export const colour = (i: number) => colours[i % colours.length];
// Series 8 has the colour of series 1 again, but another dash.
export const dash = (i: number) => dashes[(i + Math.floor(i / colours.length)) % dashes.length];

export interface Look {
  colour: string;
  symbol: string;
  path: string; // the symbol, about eight pixels wide around 0, 0
}

const disc = "M-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0";
const verdicts: Record<string, Look> = {
  sure: { colour: "var(--sure)", symbol: "●", path: disc },
  ambiguous: { colour: "var(--ambiguous)", symbol: "◆", path: "M0 -4.6L4.6 0L0 4.6L-4.6 0Z" },
  unfamiliar: { colour: "var(--unfamiliar)", symbol: "▲", path: "M0 -4.4L4.4 3.3H-4.4Z" },
};
const unknown: Look = { colour: "var(--soft)", symbol: "○", path: disc };

export const verdict_look = (name: string | null | undefined): Look => verdicts[name ?? ""] ?? unknown;

// The margins of a chart with both axes.
export const frame = {
  marginTop: 24,
  marginRight: 18,
  marginBottom: 38,
  marginLeft: 46,
};
