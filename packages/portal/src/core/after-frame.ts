/**
 * What need not be in the frame that answers a key or click comes after it. So do effects: Preact by itself waits 35 ms
 * for that frame. On a slow machine the work that follows a click, such as data for the map, then came before the
 * answer.
 */
import { options } from 'preact';

/** Milliseconds to wait for a frame: a page that nobody sees draws none. */
const PATIENCE = 500;

/** Runs once after the next frame, however long that takes. */
export function afterFrame(run: () => void): void {
  const after = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    setTimeout(run);
  };
  const timer = setTimeout(after, PATIENCE);
  const frame = requestAnimationFrame(after);
}

options.requestAnimationFrame = afterFrame;
