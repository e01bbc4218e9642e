/**
 * Drawing an area by mouse, pen or finger.
 *
 *   box      idle ── press ──▶ dragging ── release ──▶ done, idle
 *   polygon  idle ── tap ──▶ corners ── tap ──▶ corners … ── double click, Enter, the button "Done" ──▶ done, idle
 *                                 └── Esc ──▶ idle
 *   meshes   idle ── tap ──▶ one mesh more or less, idle
 *
 * A press that the browser takes away (`pointercancel`) leaves nothing behind.
 */
import { type MeshDigits, meshOf } from '@citymodel/geo';
import { type Area, type Position, parseArea } from '../core/area.ts';
import { current } from '../core/store.ts';
import type { CityMap } from './city-map.ts';
import { type DrawMode, drawn } from './map-link.ts';

/** Meshes that are picked: the 3rd, by which most files are named. */
const PICKED: MeshDigits = 8;
/** A press that hardly moves is no box, pixels. */
const LEAST_DRAG = 5;
/** A tap this close to the first corner closes a polygon, pixels. */
const CLOSING = 14;

export interface Drawing {
  /** Shown while it is being drawn. */
  onSketch(area: Area | null): void;
  onDone(area: Area): void;
}

interface Pad {
  element: HTMLElement;
  /** Degrees at the pointer. */
  at(event: MouseEvent): Position;
  /** Pixels on the page of a position. */
  pixelsOf(position: Position): { x: number; y: number };
  signal: AbortSignal;
}

/** Listens to the pointer until the returned function is called. */
export function draw(map: CityMap, mode: DrawMode, drawing: Drawing): () => void {
  const element = map.gl.getCanvasContainer();
  const end = new AbortController();
  const pad: Pad = {
    element,
    at: (event) => {
      const box = element.getBoundingClientRect();
      return map.positionAt(event.clientX - box.left, event.clientY - box.top);
    },
    pixelsOf: ([lng, lat]) => {
      const box = element.getBoundingClientRect();
      const { x, y } = map.gl.project([lng, lat]);
      return { x: x + box.left, y: y + box.top };
    },
    signal: end.signal,
  };
  map.asks = false;
  map.gl.getCanvas().style.cursor = 'crosshair';
  map.gl.doubleClickZoom.disable();
  if (mode === 'box') {
    map.gl.dragPan.disable();
    map.gl.boxZoom.disable();
    map.gl.touchZoomRotate.disable();
    // Else the browser takes the finger for scrolling after its first move.
    element.classList.add('drawing-box');
    drawBox(pad, drawing);
  } else if (mode === 'polygon') {
    drawPolygon(pad, drawing);
  } else {
    element.addEventListener('click', (event) => onMesh(pad.at(event), drawing.onDone), {
      signal: end.signal,
    });
  }
  return () => {
    end.abort();
    drawn.set(null);
    element.classList.remove('drawing-box');
    map.asks = true;
    map.gl.getCanvas().style.cursor = '';
    map.gl.dragPan.enable();
    map.gl.boxZoom.enable();
    map.gl.touchZoomRotate.enable();
    map.gl.touchZoomRotate.disableRotation();
    map.gl.doubleClickZoom.enable();
  };
}

function drawBox({ element, at, signal }: Pad, { onSketch, onDone }: Drawing): void {
  let start: { position: Position; x: number; y: number; pointer: number } | null = null;
  const boxTo = (event: PointerEvent): Area => {
    const [a, b] = [start!.position, at(event)];
    return {
      kind: 'box',
      bounds: {
        west: Math.min(a[0], b[0]),
        south: Math.min(a[1], b[1]),
        east: Math.max(a[0], b[0]),
        north: Math.max(a[1], b[1]),
      },
    };
  };
  const on = (
    name: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel',
    act: (event: PointerEvent) => void,
  ) => element.addEventListener(name, act, { signal });
  on('pointerdown', (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    start = { position: at(event), x: event.clientX, y: event.clientY, pointer: event.pointerId };
    element.setPointerCapture(event.pointerId);
  });
  on('pointermove', (event) => {
    if (start?.pointer === event.pointerId) onSketch(boxTo(event));
  });
  on('pointercancel', () => {
    start = null;
    onSketch(null);
  });
  on('pointerup', (event) => {
    if (start?.pointer !== event.pointerId) return;
    const far = Math.hypot(event.clientX - start.x, event.clientY - start.y) >= LEAST_DRAG;
    const area = boxTo(event);
    start = null;
    onSketch(null);
    if (far) onDone(area);
  });
}

function drawPolygon({ element, at, pixelsOf, signal }: Pad, { onSketch, onDone }: Drawing): void {
  let ring: Position[] = [];
  const show = (pointed: Position | null = null) => {
    const corners = pointed === null ? ring : [...ring, pointed];
    onSketch(corners.length === 0 ? null : { kind: 'polygon', ring: corners });
  };
  const tell = () => drawn.set(ring.length === 0 ? null : { corners: ring.length, finish: close, undo });
  const close = () => {
    const done = ring;
    ring = [];
    tell();
    onSketch(null);
    if (done.length >= 3) onDone({ kind: 'polygon', ring: done });
  };
  const undo = () => {
    ring = ring.slice(0, -1);
    show();
    tell();
  };
  let pointed: Position | null = null;
  element.addEventListener(
    'click',
    (event) => {
      // The second click of a double click is the same corner again.
      if (event.detail > 1) return;
      const first = ring.length >= 3 ? pixelsOf(ring[0]!) : null;
      if (first !== null && Math.hypot(event.clientX - first.x, event.clientY - first.y) < CLOSING) {
        close();
        return;
      }
      ring = [...ring, at(event)];
      show();
      tell();
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      pointed = at(event);
      if (ring.length > 0 && event.pointerType !== 'touch') show(pointed);
    },
    { signal },
  );
  element.addEventListener('dblclick', close, { signal });
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Enter' && ring.length > 0) {
        // The key is not for the button that began the drawing and may still have the focus.
        event.preventDefault();
        // The corner that is pointed at belongs to it, as it is drawn.
        const last = ring.at(-1)!;
        if (pointed !== null && ring.length >= 2 && (pointed[0] !== last[0] || pointed[1] !== last[1])) {
          ring = [...ring, pointed];
        }
        close();
      }
      if (event.key === 'Escape') {
        ring = [];
        tell();
        onSketch(null);
      }
    },
    { signal },
  );
}

function onMesh([lng, lat]: Position, onDone: (area: Area) => void): void {
  let code: string;
  try {
    code = meshOf(lng, lat, PICKED);
  } catch {
    // Outside the grid of meshes there is nothing to pick.
    return;
  }
  const before = current()
    .areas.map(parseArea)
    .find((area) => area?.kind === 'meshes');
  const codes = before?.kind === 'meshes' ? before.codes : [];
  onDone({
    kind: 'meshes',
    codes: codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code],
  });
}
