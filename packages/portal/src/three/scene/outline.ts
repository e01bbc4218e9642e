/** The outline of selected features, drawn over everything in a colour that no palette has. */
import { type Cesium3DTileFeature, Color, PostProcessStage, type Scene } from 'cesium';
import { SELECTED } from '../colouring.ts';

/** Pixels. */
const WIDTH = 3;

/** A pixel outside of the feature with one of the feature within the width of the line around it. */
const SHADER = `
uniform sampler2D colorTexture;
uniform vec4 line;
uniform float width;
in vec2 v_textureCoordinates;
void main() {
  vec4 colour = texture(colorTexture, v_textureCoordinates);
  out_FragColor = colour;
#ifdef CZM_SELECTED_FEATURE
  if (czm_selected()) return;
  vec2 pixel = width * czm_pixelRatio / czm_viewport.zw;
  bool near = false;
  for (int i = 0; i < 12; i++) {
    float angle = float(i) * 0.5235988;
    near = near || czm_selected(vec2(cos(angle), sin(angle)) * pixel)
      || czm_selected(vec2(cos(angle), sin(angle)) * pixel * 0.5);
  }
  if (near) out_FragColor = line;
#endif
}`;

/**
 * Frames from the choice of features to their outline: models number their features in the first, the stage reads these
 * numbers in the second, and draws in the third.
 */
const FRAMES = 3;

export class Outline {
  readonly #stage: PostProcessStage;
  #features: readonly Cesium3DTileFeature[] = [];
  /** Frames until the outline is drawn. */
  #waiting = 0;

  /** @param redraw asks for one more frame */
  constructor(scene: Scene, redraw: () => void) {
    this.#stage = new PostProcessStage({
      name: 'citymodel_outline',
      fragmentShader: SHADER,
      uniforms: { line: Color.fromCssColorString(SELECTED), width: WIDTH },
    });
    this.set([]);
    scene.postProcessStages.add(this.#stage);
    scene.postRender.addEventListener(() => {
      if (this.#waiting === 0) return;
      this.#waiting--;
      // The stage reads the numbers of features again only for another list.
      this.#stage.selected = [...this.#features];
      redraw();
    });
  }

  /** Nothing is drawn, and nothing costs time, while the list is empty. */
  set(features: readonly Cesium3DTileFeature[]): void {
    const isNeeded = features.length > 0;
    this.#features = features;
    this.#waiting = isNeeded ? FRAMES : 0;
    // For a list, even an empty one, CesiumJS draws all models again to tell their features apart.
    this.#stage.selected = isNeeded ? [...features] : (undefined as never);
    this.#stage.enabled = isNeeded;
  }
}
