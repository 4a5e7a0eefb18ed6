/** Horizontal bars as inline SVG, each of one part or of several, one after the other. */

export interface Part {
  readonly name: string;
  readonly value: number;
}

export interface Bar {
  readonly label: string;
  readonly parts: readonly Part[];
  /** What stands behind the bar. */
  readonly text: string;
}

/** The page has as many colours, `--c0` and so on. */
export const COLOURS = 8;

const WIDTH = 1160;
const LABEL_WIDTH = 430;
const TEXT_WIDTH = 200;
const LINE_HEIGHT = 26;
const BAR_HEIGHT = 16;
const SCALE_WIDTH = WIDTH - LABEL_WIDTH - TEXT_WIDTH;

/** All on one scale that begins at nothing. Parts of one name have one colour. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const names = [...new Set(bars.flatMap(({ parts }) => parts.map(({ name }) => name)))];
  const longest = Math.max(...bars.map(lengthOf));
  const unit = longest > 0 ? SCALE_WIDTH / longest : 0;
  const rows = bars.map((bar, index) => rowOf(bar, index, names, unit));
  const height = bars.length * LINE_HEIGHT;
  const svg = `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeText(title)}">${rows.join('')}</svg>`;
  const legend = names.length < 2 ? '' : `<p class="legend">${names.map(legendOf).join(' ')}</p>`;
  return `<section><h2>${escapeText(title)}</h2>${legend}${svg}</section>`;
}

function lengthOf({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

function rowOf(bar: Bar, index: number, names: readonly string[], unit: number): string {
  const top = index * LINE_HEIGHT;
  const baseline = top + LINE_HEIGHT / 2 + 5;
  let left = LABEL_WIDTH;
  const rects = bar.parts.map(({ name, value }) => {
    const width = value * unit;
    const rect =
      `<rect x="${left.toFixed(1)}" y="${top + (LINE_HEIGHT - BAR_HEIGHT) / 2}" width="${width.toFixed(1)}" ` +
      `height="${BAR_HEIGHT}" fill="${colourOf(names.indexOf(name))}"><title>${escapeText(`${name}: ${round(value)}`)}</title></rect>`;
    left += width;
    return rect;
  });
  const label = `<text x="${LABEL_WIDTH - 8}" y="${baseline}" text-anchor="end">${escapeText(bar.label)}</text>`;
  const text = `<text x="${(left + 8).toFixed(1)}" y="${baseline}">${escapeText(bar.text)}</text>`;
  return `${label}${rects.join('')}${text}`;
}

function legendOf(name: string, index: number): string {
  return `<span><i style="background:${colourOf(index)}"></i>${escapeText(name)}</span>`;
}

function colourOf(index: number): string {
  return `var(--c${index % COLOURS})`;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

export function escapeText(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
