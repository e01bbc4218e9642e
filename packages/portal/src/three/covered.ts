/** What lies over the view: the panels of the page. */

/** Pixels of a canvas that something lies over, at its edges. */
export interface Covered {
  left: number;
  bottom: number;
}

/** Most of a canvas, of its width and its height, that is taken as covered: the view must show something. */
const MOST = 0.5;

/** Looks where the panel and the filters of the page lie over a canvas; nothing does in a frame. */
export function coveredOf(canvas: HTMLCanvasElement): Covered {
  const main = canvas.closest('main');
  const panel = main?.querySelector('.panel');
  if (main === null || panel === null || panel === undefined) return { left: 0, bottom: 0 };
  const view = canvas.getBoundingClientRect();
  const over = panel.getBoundingClientRect();
  // The filters come with the first tiles; the room for them is known before.
  const filters = Number.parseFloat(getComputedStyle(main).getPropertyValue('--filters')) || 0;
  const isSheet = over.width >= view.width - 1;
  const left = isSheet ? 0 : over.right - view.left;
  const bottom = isSheet && over.top > view.top ? view.bottom - over.top : filters;
  return { left: within(left, view.width), bottom: over.width === 0 ? 0 : within(bottom, view.height) };
}

/** The middle of what nothing lies over, in half per cents of the canvas's width. */
export function middleOfFree(canvas: HTMLCanvasElement): number {
  const { left } = coveredOf(canvas);
  return Math.round((100 * (left + canvas.clientWidth)) / canvas.clientWidth) / 2;
}

function within(covered: number, size: number): number {
  return Math.min(Math.max(0, covered), size * MOST);
}
