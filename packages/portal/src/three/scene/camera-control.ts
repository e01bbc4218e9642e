/** Moving the camera by buttons and keys, around the point of the ground in the middle of the view. */
import {
  CameraEventType,
  Cartesian3,
  Cartographic,
  Math as CesiumMath,
  HeadingPitchRange,
  IntersectionTests,
  KeyboardEventModifier,
  Matrix4,
  Plane,
  Ray,
  type Scene,
} from 'cesium';
import { afterFrame } from '../../core/after-frame.ts';

/** Degrees. */
const FLATTEST = -4;
/** Metres from the point that is looked at. */
const NEAREST = 12;
/** Metres ahead that are taken for the middle of a view into the sky. */
const AHEAD = 400;
/** Part of the distance that one step of an arrow moves by. */
const STEP = 0.12;

/** What a key does; null for keys that are not ours. */
export function moveOfKey(key: string, shift: boolean): Move | null {
  const turn = shift ? 45 : 15;
  const moves: Record<string, Move> = {
    ArrowLeft: { kind: 'pan', right: -STEP, forward: 0 },
    ArrowRight: { kind: 'pan', right: STEP, forward: 0 },
    ArrowUp: { kind: 'pan', right: 0, forward: STEP },
    ArrowDown: { kind: 'pan', right: 0, forward: -STEP },
    q: { kind: 'turn', heading: -turn, pitch: 0 },
    e: { kind: 'turn', heading: turn, pitch: 0 },
    PageUp: { kind: 'turn', heading: 0, pitch: 8 },
    PageDown: { kind: 'turn', heading: 0, pitch: -8 },
    '+': { kind: 'zoom', factor: 0.75 },
    ';': { kind: 'zoom', factor: 0.75 },
    '=': { kind: 'zoom', factor: 0.75 },
    '-': { kind: 'zoom', factor: 1 / 0.75 },
    n: { kind: 'north' },
  };
  return moves[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

export type Move =
  | { kind: 'pan'; right: number; forward: number }
  /** Degrees around the middle of the view. */
  | { kind: 'turn'; heading: number; pitch: number }
  /** Times the distance. */
  | { kind: 'zoom'; factor: number }
  | { kind: 'north' };

export class CameraControl {
  readonly #scene: Scene;
  /** Metres above the ellipsoid. */
  ground = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    const control = scene.screenSpaceCameraController;
    control.minimumZoomDistance = 3;
    // As maps in 3D have it: the right button turns, the wheel zooms.
    control.zoomEventTypes = [CameraEventType.WHEEL, CameraEventType.PINCH];
    control.tiltEventTypes = [
      CameraEventType.RIGHT_DRAG,
      CameraEventType.MIDDLE_DRAG,
      CameraEventType.PINCH,
      { eventType: CameraEventType.LEFT_DRAG, modifier: KeyboardEventModifier.CTRL },
      { eventType: CameraEventType.LEFT_DRAG, modifier: KeyboardEventModifier.SHIFT },
    ];
  }

  /**
   * Moves after the frame that answers the key or click: without a graphics card, one of the view takes longer than
   * people wait.
   */
  moveLater(move: Move): void {
    const { dataset } = this.#scene.canvas;
    dataset.moving = '';
    afterFrame(() => {
      if (this.#scene.isDestroyed()) return;
      delete dataset.moving;
      this.move(move);
    });
  }

  move(move: Move): void {
    const { camera } = this.#scene;
    const middle = this.middle();
    const distance = this.distance();
    if (move.kind === 'pan') this.#pan(move.right * distance, move.forward * distance);
    else if (move.kind === 'zoom') this.#orbit(middle, camera.heading, camera.pitch, distance * move.factor);
    else if (move.kind === 'north') this.#orbit(middle, 0, camera.pitch, distance);
    else {
      const heading = camera.heading + CesiumMath.toRadians(move.heading);
      this.#orbit(middle, heading, camera.pitch + CesiumMath.toRadians(move.pitch), distance);
    }
    this.#scene.requestRender();
  }

  /** Longitude and latitude of the middle of the view, degrees. */
  middlePlace(): [lng: number, lat: number] {
    const { longitude, latitude } = Cartographic.fromCartesian(this.middle());
    return [CesiumMath.toDegrees(longitude), CesiumMath.toDegrees(latitude)];
  }

  /** Metres from the eye to the middle of the view. */
  distance(): number {
    return Cartesian3.distance(this.#scene.camera.positionWC, this.middle());
  }

  /** The point of the ground in the middle of the view. */
  middle(): Cartesian3 {
    const { camera } = this.#scene;
    const below = Cartographic.fromCartesian(camera.positionWC);
    const foot = Cartesian3.fromRadians(below.longitude, below.latitude, this.ground);
    const up = Cartesian3.normalize(foot, new Cartesian3());
    const ray = new Ray(camera.positionWC, camera.directionWC);
    const hit = IntersectionTests.rayPlane(ray, Plane.fromPointNormal(foot, up));
    const most = Math.max(AHEAD, (below.height - this.ground) * 8);
    return hit !== undefined && Cartesian3.distance(hit, camera.positionWC) <= most
      ? hit
      : Ray.getPoint(ray, Math.min(most, AHEAD));
  }

  #orbit(middle: Cartesian3, heading: number, pitch: number, distance: number): void {
    const { camera } = this.#scene;
    const flattest = CesiumMath.toRadians(FLATTEST);
    const tilted = CesiumMath.clamp(pitch, CesiumMath.toRadians(-89.9), flattest);
    camera.lookAt(middle, new HeadingPitchRange(heading, tilted, Math.max(NEAREST, distance)));
    camera.lookAtTransform(Matrix4.IDENTITY);
  }

  /** Level over the ground, to the right and away from the viewer, metres. */
  #pan(right: number, forward: number): void {
    const { camera } = this.#scene;
    const up = Cartesian3.normalize(camera.positionWC, new Cartesian3());
    const side = Cartesian3.normalize(camera.rightWC, new Cartesian3());
    const ahead = Cartesian3.cross(up, side, new Cartesian3());
    camera.move(side, right);
    camera.move(ahead, forward);
  }
}
