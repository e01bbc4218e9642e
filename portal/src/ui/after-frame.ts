/**
 * Effects come after the frame that shows what was rendered, however long that takes. Preact by itself waits 35 ms for it. On a slow
 * machine the work that follows a click, such as data for the map, then came before the answer.
 */
import { options } from 'preact';

/** Milliseconds that effects wait for a frame: a page that nobody sees draws none. */
const PATIENCE = 500;

options.requestAnimationFrame = (run) => {
  const after = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    setTimeout(run);
  };
  const timer = setTimeout(after, PATIENCE);
  const frame = requestAnimationFrame(after);
};
