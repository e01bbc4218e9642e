/**
 * Darker corners: where walls meet the ground and each other. A pixel is compared with pairs of pixels on opposite
 * sides of it. The inverse of the distance runs straight over a plane on the screen. So a plane of any slant gives
 * exactly nothing, and a corner what it is deep.
 */
import { PostProcessStage } from 'cesium';

/** Metres around a point that count. */
const REACH = 3;

const SHADER = `
uniform sampler2D colorTexture;
uniform sampler2D depthTexture;
uniform float reach;
uniform float strength;
in vec2 v_textureCoordinates;

float inverseDistance(vec2 pixel) {
  float depth = texture(depthTexture, pixel / czm_viewport.zw).r;
  if (depth >= 1.0) return 0.0;
  vec4 eye = czm_windowToEyeCoordinates(pixel, depth);
  return 1.0 / max(-eye.z / eye.w, 0.1);
}

void main() {
  vec4 colour = texture(colorTexture, v_textureCoordinates);
  out_FragColor = colour;
  float depth = texture(depthTexture, v_textureCoordinates).r;
  if (depth >= 1.0) return;
  vec2 here = v_textureCoordinates * czm_viewport.zw;
  float middle = inverseDistance(here);
  float pixels = clamp(reach * middle * czm_projection[1][1] * 0.5 * czm_viewport.w, 1.5, 48.0);
  float sum = 0.0;
  for (int ring = 1; ring <= 2; ring++) {
    for (int i = 0; i < 6; i++) {
      float angle = (float(i) + 0.5 * float(ring)) * 0.5235988;
      vec2 step = vec2(cos(angle), sin(angle)) * pixels * (0.45 * float(ring));
      float one = inverseDistance(here + step);
      float other = inverseDistance(here - step);
      // At an edge before nothing, smooth edges mix the depths of both: such a pixel says nothing of corners.
      if (one == 0.0 || other == 0.0) continue;
      float bend = 0.5 * (one + other) - middle;
      // Metres by which the pair stands before the pixel.
      float metres = bend / (middle * middle);
      sum += smoothstep(0.08, 0.5, metres / reach) * (1.0 - smoothstep(0.5, 1.3, metres / reach));
    }
  }
  out_FragColor = vec4(colour.rgb * (1.0 - strength * sum / 12.0), colour.a);
}`;

export function occlusionStage(): PostProcessStage {
  return new PostProcessStage({
    name: 'citymodel_occlusion',
    fragmentShader: SHADER,
    uniforms: { reach: REACH, strength: 0.6 },
  });
}
