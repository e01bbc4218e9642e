/**
 * The panel beside the map. On a phone it is a sheet that comes up from below, with three heights: a strip, half, and
 * nearly the whole screen. A button goes from one to the next; a drag of the handle goes where the finger goes.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useWords } from '../core/store.ts';

const HEIGHTS = ['strip', 'half', 'full'] as const;
type Height = (typeof HEIGHTS)[number];

/** Share of the window that each height takes. */
const SHARE: Record<Height, number> = { strip: 0.2, half: 0.52, full: 0.9 };

export function Sheet({ children, wants }: { children: ComponentChildren; wants?: Height }) {
  const { t } = useWords();
  const [height, setHeight] = useState<Height>(wants ?? 'half');
  const element = useRef<HTMLDivElement>(null);
  const drag = useRef<{ from: number; height: number } | null>(null);
  useEffect(() => {
    if (wants !== undefined) setHeight(wants);
  }, [wants]);
  const next = () => setHeight(height === 'full' ? 'strip' : HEIGHTS[HEIGHTS.indexOf(height) + 1]!);
  return (
    <div class="panel" data-height={height} ref={element}>
      <button
        type="button"
        class="sheet-handle"
        aria-expanded={height !== 'strip'}
        aria-label={t(height === 'full' ? 'sheetDown' : 'sheetUp')}
        onClick={() => {
          // A drag ends with a click of its own.
          if (drag.current === null) next();
          drag.current = null;
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const from = event.clientY;
          const start = element.current!.getBoundingClientRect().height;
          const target = event.currentTarget;
          const move = (moved: PointerEvent) => {
            if (drag.current === null && Math.abs(moved.clientY - from) < 6) return;
            drag.current = { from, height: start + from - moved.clientY };
            element.current!.style.height = `${drag.current.height}px`;
          };
          const end = () => {
            target.removeEventListener('pointermove', move);
            element.current!.style.height = '';
            if (drag.current !== null) setHeight(nearest(drag.current.height / innerHeight));
          };
          target.addEventListener('pointermove', move);
          target.addEventListener('pointerup', end, { once: true });
          target.addEventListener('pointercancel', end, { once: true });
        }}
      />
      {children}
    </div>
  );
}

function nearest(share: number): Height {
  return HEIGHTS.reduce((best, height) =>
    Math.abs(SHARE[height] - share) < Math.abs(SHARE[best] - share) ? height : best,
  );
}
