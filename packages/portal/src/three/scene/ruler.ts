/** Measuring between two points of models: how far, and how much higher. */
import {
  Cartesian2,
  Cartesian3,
  Cartographic,
  Color,
  LabelCollection,
  LabelStyle,
  Material,
  PointPrimitiveCollection,
  PolylineCollection,
  type Scene,
} from 'cesium';
import { SELECTED } from '../colouring.ts';

/** Metres between two points. */
export interface Measure {
  straight: number;
  level: number;
  /** Of the second above the first. */
  height: number;
}

export class Ruler {
  readonly #scene: Scene;
  readonly #lines = new PolylineCollection();
  readonly #points = new PointPrimitiveCollection();
  readonly #labels: LabelCollection;
  #first: Cartesian3 | null = null;
  #ends: [Cartesian3, Cartesian3] | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#labels = new LabelCollection({ scene });
    for (const primitive of [this.#lines, this.#points, this.#labels]) scene.primitives.add(primitive);
  }

  /** The two points between which is measured; null before. */
  get ends(): readonly [Cartesian3, Cartesian3] | null {
    return this.#ends;
  }

  /** What the ruler draws. */
  get primitives(): object[] {
    return [this.#lines, this.#points, this.#labels];
  }

  clear(): void {
    this.#first = null;
    this.#ends = null;
    this.#lines.removeAll();
    this.#points.removeAll();
    this.#labels.removeAll();
    this.#scene.requestRender();
  }

  /**
   * Takes a point; with the second of two the measure between them.
   *
   * @param words writes metres for people
   */
  add(point: Cartesian3, words: (metres: number) => string): Measure | null {
    if (this.#first === null) {
      this.clear();
      this.#first = point;
      this.#mark(point);
      return null;
    }
    const first = this.#first;
    this.#first = null;
    this.#ends = [first, point];
    this.#mark(point);
    const a = Cartographic.fromCartesian(first);
    const b = Cartographic.fromCartesian(point);
    // Above or below the lower point, at the height of the higher one.
    const [low, high] = a.height <= b.height ? [a, b] : [b, a];
    const corner = Cartesian3.fromRadians(low.longitude, low.latitude, high.height);
    const foot = Cartesian3.fromRadians(high.longitude, high.latitude, low.height);
    const measure = {
      straight: Cartesian3.distance(first, point),
      level: Cartesian3.distance(Cartographic.toCartesian(low), foot),
      height: b.height - a.height,
    };
    this.#line([first, point], 3);
    this.#line([Cartographic.toCartesian(low), corner, Cartographic.toCartesian(high)], 1.5);
    this.#label(Cartesian3.midpoint(first, point, new Cartesian3()), words(measure.straight));
    if (Math.abs(measure.height) > 0.5) {
      const middle = Cartesian3.midpoint(Cartographic.toCartesian(low), corner, new Cartesian3());
      this.#label(middle, `↕ ${words(Math.abs(measure.height))}`);
    }
    this.#scene.requestRender();
    return measure;
  }

  #mark(position: Cartesian3): void {
    this.#points.add({
      position,
      pixelSize: 9,
      color: Color.WHITE,
      outlineColor: Color.fromCssColorString(SELECTED),
      outlineWidth: 3,
      disableDepthTestDistance: Number.POSITIVE_INFINITY,
    });
    this.#scene.requestRender();
  }

  #line(positions: Cartesian3[], width: number): void {
    const color = Color.fromCssColorString(SELECTED);
    this.#lines.add({ positions, width, material: Material.fromType('Color', { color }) });
  }

  #label(position: Cartesian3, text: string): void {
    this.#labels.add({
      position,
      text,
      font: '600 15px system-ui, sans-serif',
      style: LabelStyle.FILL_AND_OUTLINE,
      fillColor: Color.WHITE,
      outlineColor: Color.fromCssColorString('#16242b'),
      outlineWidth: 5,
      pixelOffset: new Cartesian2(0, -14),
      disableDepthTestDistance: Number.POSITIVE_INFINITY,
    });
  }
}
