/** Buttons over the view: closer, farther, tilt, turn, north, measure; what the keys aim at; how to move, at first use. */
import { useEffect, useState } from 'preact/hooks';
import { usePart } from '../core/store.ts';
import { MeasurePanel } from './measure-panel.tsx';
import type { Move } from './scene/camera-control.ts';
import type { ThreeKey } from './strings.ts';
import type { Measure, TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';

const BUTTONS: Array<[ThreeKey, string, Move]> = [
  ['zoomIn', 'M8 3v10M3 8h10', { kind: 'zoom', factor: 0.7 }],
  ['zoomOut', 'M3 8h10', { kind: 'zoom', factor: 1 / 0.7 }],
  ['turnLeft', 'M5 5a4.5 4.5 0 1 1-1 5M5 2v3.5h3.5', { kind: 'turn', heading: -22.5, pitch: 0 }],
  ['turnRight', 'M11 5a4.5 4.5 0 1 0 1 5M11 2v3.5H7.5', { kind: 'turn', heading: 22.5, pitch: 0 }],
  ['tiltUp', 'M2 11l6-3 6 3M8 6V2M6 4l2-2 2 2', { kind: 'turn', heading: 0, pitch: 10 }],
  ['tiltDown', 'M2 5l6 3 6-3M8 10v4M6 12l2 2 2-2', { kind: 'turn', heading: 0, pitch: -10 }],
];

export function ViewTools({ scene, measure }: { scene: TileScene; measure: Measure | null }) {
  const three = useThree();
  const [isMeasuring, setMeasuring] = useState(false);
  useEffect(() => scene.setMeasuring(isMeasuring), [scene, isMeasuring]);
  const heading = usePart((s) => s.camera?.[3] ?? 0);
  const isFrame = usePart((s) => s.embed);
  return (
    <>
      <div class="view-tools">
        <button
          type="button"
          class="tool compass"
          title={three('north')}
          aria-label={three('north')}
          onClick={() => scene.move({ kind: 'north' })}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true" style={{ rotate: `${-heading}deg` }}>
            <path class="needle" d="M8 1l3 7H5z" />
            <path d="M8 15l3-7H5z" />
          </svg>
        </button>
        {BUTTONS.map(([key, path, move]) => (
          <button
            key={key}
            type="button"
            class="tool"
            title={three(key)}
            aria-label={three(key)}
            onClick={() => scene.move(move)}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
        <button
          type="button"
          class="tool"
          title={three('measure')}
          aria-label={three('measure')}
          aria-pressed={isMeasuring}
          onClick={() => setMeasuring(!isMeasuring)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M1.5 10.5l9-9 4 4-9 9zM4.5 7.5l2 2M7 5l1.5 1.5M9.5 2.5l2 2" />
          </svg>
        </button>
        <button
          type="button"
          class="tool"
          title={three('whole3d')}
          aria-label={three('whole3d')}
          onClick={() => scene.fit(true)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" />
          </svg>
        </button>
      </div>
      {isMeasuring && <MeasurePanel scene={scene} measure={measure} />}
      <div class="reticle" aria-hidden="true" />
      {/* A frame is a picture of the page around it. */}
      {!isFrame && <Gestures canvas={scene.canvas} />}
    </>
  );
}

const KNOWN = 'citymodel-gestures';
/** The line lies over the model, so it goes by itself, ms. */
const LONG_ENOUGH = 7_000;

/** How to move, at first, until somebody has moved once. */
function Gestures({ canvas }: { canvas: HTMLCanvasElement }) {
  const three = useThree();
  const [isShown, setShown] = useState(() => remembered() === null);
  useEffect(() => {
    if (!isShown) return;
    const done = () => {
      setShown(false);
      remember();
    };
    const timer = setTimeout(() => setShown(false), LONG_ENOUGH);
    for (const event of ['pointerdown', 'wheel', 'keydown'] as const) {
      canvas.addEventListener(event, done, { once: true, passive: true });
    }
    return () => {
      clearTimeout(timer);
      for (const event of ['pointerdown', 'wheel', 'keydown'] as const)
        canvas.removeEventListener(event, done);
    };
  }, [canvas, isShown]);
  if (!isShown) return null;
  const isTouch = matchMedia('(pointer: coarse)').matches;
  return <p class="gestures">{three(isTouch ? 'gesturesTouch' : 'gestures')}</p>;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KNOWN);
  } catch {
    // A frame of another page may be kept from storing anything.
    return null;
  }
}

function remember(): void {
  try {
    localStorage.setItem(KNOWN, '1');
  } catch {
    // Then the line comes again.
  }
}
