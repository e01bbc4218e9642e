/**
 * Drawing an area with the pointer.
 *
 *   box      idle ── press ──▶ dragging ── release ──▶ done, idle
 *   polygon  idle ── click ──▶ corners ── click ──▶ corners … ── double click, Enter ──▶ done, idle
 *                                 └── Esc ──▶ idle
 *   meshes   idle ── click ──▶ one mesh more or less, idle
 */
import { type MeshDigits, meshOf } from '../../../src/geo/mesh.ts';
import { type Area, type Position, parseArea } from '../core/area.ts';
import { current } from '../core/store.ts';
import type { CityMap } from './city-map.ts';
import type { DrawMode } from './map-link.ts';

/** Meshes that are picked: the 3rd, by which most files are named. */
const PICKED: MeshDigits = 8;
/** A press that hardly moves is no box, pixels. */
const LEAST_DRAG = 5;

export interface Drawing {
  /** Shown while it is being drawn. */
  onSketch(area: Area | null): void;
  onDone(area: Area): void;
}

/** Listens to the pointer until the returned function is called. */
export function draw(map: CityMap, mode: DrawMode, { onSketch, onDone }: Drawing): () => void {
  const element = map.gl.getCanvasContainer();
  const end = new AbortController();
  const { signal } = end;
  const at = (event: MouseEvent): Position => {
    const box = element.getBoundingClientRect();
    return map.positionAt(event.clientX - box.left, event.clientY - box.top);
  };
  map.asks = false;
  map.gl.getCanvas().style.cursor = 'crosshair';
  map.gl.doubleClickZoom.disable();
  if (mode === 'box') {
    map.gl.dragPan.disable();
    map.gl.boxZoom.disable();
    drawBox(element, at, signal, { onSketch, onDone });
  } else if (mode === 'polygon') {
    drawPolygon(element, at, signal, { onSketch, onDone });
  } else {
    element.addEventListener('click', (event) => onMesh(at(event), onDone), { signal });
  }
  return () => {
    end.abort();
    map.asks = true;
    map.gl.getCanvas().style.cursor = '';
    map.gl.dragPan.enable();
    map.gl.boxZoom.enable();
    map.gl.doubleClickZoom.enable();
  };
}

function drawBox(
  element: HTMLElement,
  at: (event: MouseEvent) => Position,
  signal: AbortSignal,
  { onSketch, onDone }: Drawing,
): void {
  let start: { position: Position; x: number; y: number } | null = null;
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
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      start = { position: at(event), x: event.clientX, y: event.clientY };
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (start !== null) onSketch(boxTo(event));
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (start === null) return;
      const far = Math.hypot(event.clientX - start.x, event.clientY - start.y) >= LEAST_DRAG;
      const area = boxTo(event);
      start = null;
      onSketch(null);
      if (far) onDone(area);
    },
    { signal },
  );
}

function drawPolygon(
  element: HTMLElement,
  at: (event: MouseEvent) => Position,
  signal: AbortSignal,
  { onSketch, onDone }: Drawing,
): void {
  let ring: Position[] = [];
  const close = () => {
    const done = ring;
    ring = [];
    onSketch(null);
    if (done.length >= 3) onDone({ kind: 'polygon', ring: done });
  };
  element.addEventListener(
    'click',
    (event) => {
      // The second click of a double click is the same corner again.
      if (event.detail > 1) return;
      ring = [...ring, at(event)];
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (ring.length > 0) onSketch({ kind: 'polygon', ring: [...ring, at(event)] });
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
        close();
      }
      if (event.key === 'Escape') {
        ring = [];
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
  const before = parseArea(current().area ?? '');
  const codes = before?.kind === 'meshes' ? before.codes : [];
  onDone({
    kind: 'meshes',
    codes: codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code],
  });
}
