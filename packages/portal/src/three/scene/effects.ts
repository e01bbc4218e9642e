/**
 * What makes models look solid and costs time: darker corners (ambient occlusion), shadows of the sun, smooth edges.
 * How much the machine can is measured. A slow one gets it when the view has come to rest; a very slow one gets smooth
 * edges alone, at rest too. One without a graphics card is very slow, which its name says.
 */
import type { CesiumWidget, PostProcessStage } from 'cesium';
import { occlusionStage } from './occlusion.ts';
import type { PrivateShadowMap } from './private-cesium.ts';
import { drawsInSoftware } from './software.ts';

/**
 * Milliseconds of a frame with effects up to which they are on while the view moves, and up to which they come when it
 * rests. A key that comes just then waits for that frame, so that it may last as long as an answer.
 */
const SMOOTH = 24;
const PATIENT = 100;
/** Milliseconds without a movement after which the view rests. */
const REST = 180;
/** Samples of a pixel for smooth edges, and while the view of a slow machine moves. */
const SMOOTH_EDGES = 2;
const ROUGH_EDGES = 1;

export type Ability = 'unknown' | 'always' | 'resting' | 'never';

/** What a machine can do that takes so long for a frame with effects. */
export function abilityFor(milliseconds: number): Ability {
  return milliseconds <= SMOOTH ? 'always' : milliseconds <= PATIENT ? 'resting' : 'never';
}

export class Effects {
  readonly #widget: CesiumWidget;
  readonly #occlusion: PostProcessStage;
  readonly #onAbility: (ability: Ability) => void;
  #ability: Ability = 'unknown';
  /** Whether the processor draws, which is not made to try. */
  readonly #isSoftware: boolean;
  #shadows = false;
  #wanted = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onAbility` is told once the machine is measured. */
  constructor(widget: CesiumWidget, onAbility: (ability: Ability) => void) {
    this.#widget = widget;
    this.#onAbility = onAbility;
    const { scene, canvas } = widget;
    this.#isSoftware = drawsInSoftware(canvas.getContext('webgl2'));
    this.#occlusion = scene.postProcessStages.add(occlusionStage()) as PostProcessStage;
    const map = scene.shadowMap as unknown as PrivateShadowMap;
    map.darkness = 0.55;
    map.softShadows = true;
    map.size = 2048;
    map.maximumDistance = 2_500;
    // Without them roofs shade themselves in stripes.
    map._primitiveBias.depthBias = 0.0004;
    map._primitiveBias.normalOffsetScale = 0.5;
    scene.msaaSamples = this.#isSoftware ? ROUGH_EDGES : SMOOTH_EDGES;
    this.#set(false);
    widget.camera.moveStart.addEventListener(() => this.#moves());
    widget.camera.moveEnd.addEventListener(() => this.#rests());
  }

  get ability(): Ability {
    return this.#ability;
  }

  /**
   * Whether they are wanted at all. Who wants them on a machine that is too slow gets them when the view rests, however
   * long they take.
   */
  want(isWanted: boolean, isPatient: boolean): void {
    this.#wanted = isWanted;
    if (isPatient && this.#ability === 'never') this.#know('resting');
    if (!isWanted) this.#set(false);
    this.#rests();
  }

  /** Shadows belong to the sun of an hour; the light of drawings has none. */
  set shadows(value: boolean) {
    this.#shadows = value;
    this.#rests();
  }

  /** Measures a frame when models are there for the first time. */
  measure(): void {
    if (this.#ability === 'unknown') this.#rests();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #moves(): void {
    clearTimeout(this.#timer);
    if (this.#ability === 'always') return;
    // Without a measure nobody knows whether the machine needs it.
    if (this.#ability !== 'unknown' || this.#isSoftware) this.#widget.scene.msaaSamples = ROUGH_EDGES;
    this.#set(false);
  }

  #rests(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#widget.isDestroyed()) return;
      this.#smooth();
      if (!this.#wanted || this.#ability === 'never') return;
      if (this.#ability === 'unknown' && this.#isSoftware) {
        this.#know('never');
        return;
      }
      this.#set(true);
      if (this.#ability !== 'unknown') return;
      const ability = abilityFor(this.#time());
      if (ability === 'never') this.#set(false);
      this.#know(ability);
    }, REST);
  }

  #know(ability: Ability): void {
    this.#ability = ability;
    // Told to the one who helps a person with a slow machine.
    this.#widget.canvas.dataset.effects = ability;
    this.#onAbility(ability);
  }

  /** Milliseconds of the last of three frames, whose shaders are compiled, until its last pixel is there. */
  #time(): number {
    const { scene, canvas } = this.#widget;
    const gl = canvas.getContext('webgl2');
    if (gl === null) return Number.POSITIVE_INFINITY;
    let start = 0;
    // The first compiles shaders.
    for (let i = 0; i < 3; i++) {
      start = performance.now();
      scene.requestRender();
      scene.render();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return performance.now() - start;
  }

  #smooth(): void {
    const { scene } = this.#widget;
    if (scene.msaaSamples === SMOOTH_EDGES) return;
    scene.msaaSamples = SMOOTH_EDGES;
    scene.requestRender();
  }

  #set(on: boolean): void {
    const { scene } = this.#widget;
    this.#occlusion.enabled = on;
    scene.shadowMap.enabled = on && this.#shadows;
    scene.requestRender();
  }
}
