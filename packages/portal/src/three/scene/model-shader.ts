/**
 * How models are lit: by one shader for all of them, of a sky, a sun and the light that the ground throws back. No wall
 * is black, whatever normals and materials the data has, and what is far fades into the horizon.
 */
import { Cartesian2, Cartesian3, CustomShader, LightingModel, UniformType } from 'cesium';
import { type Air, CUT_SURFACE, linear } from './air.ts';

/** Towards the viewer in fixed axes: surfaces of city models are flat, and their normals may be missing or turned. */
const COMMON = `
vec3 normalOf(vec3 place) {
  return normalize(czm_inverseViewRotation * cross(dFdx(place), dFdy(place)));
}
// The inside of a closed model is seen through a cut alone: without light it looks like the surface of the cut.
vec3 capped(vec3 colour) {
  return u_cut > 0.5 && !gl_FrontFacing ? u_cap : colour;
}
vec3 hazed(vec3 colour, vec3 place) {
  return mix(colour, u_haze, smoothstep(u_reach.x, u_reach.y, length(place)));
}`;

/** Roofs in exactly the colour of the legend, walls a little darker by where they face. */
const LEGEND = `${COMMON}
void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {
  vec3 place = fsInput.attributes.positionEC;
  vec3 normal = normalOf(place);
  float facing = 0.5 + 0.5 * dot(normal, u_sun);
  // Colours of features come as they are shown; what follows takes them for linear ones.
  vec3 colour = czm_srgbToLinear(material.diffuse);
  colour *= mix(mix(0.5, 0.8, facing), 1.0, smoothstep(0.25, 0.9, dot(normal, u_up)));
  material.diffuse = hazed(capped(colour), place);
}`;

/** Photographs and colours as they are; what is plain grey gets warm roofs and cool walls. */
const PLAIN = `${COMMON}
void fragmentMain(FragmentInput fsInput, inout czm_modelMaterial material) {
  vec3 place = fsInput.attributes.positionEC;
  vec3 normal = normalOf(place);
  float upward = dot(normal, u_up);
  vec3 own = material.diffuse;
#ifndef HAS_BASE_COLOR_TEXTURE
  float low = min(min(own.r, own.g), own.b);
  float high = max(max(own.r, own.g), own.b);
  float plain = u_plain * (1.0 - smoothstep(0.02, 0.1, high - low));
  // A light or dark grey stays a little lighter or darker.
  vec3 paint = mix(u_wall, u_roof, smoothstep(0.2, 0.7, upward)) * mix(0.9, 1.0, sqrt(high));
  own = mix(own, paint, plain);
#endif
  vec3 light = mix(u_ground, u_sky, 0.5 + 0.5 * upward) + u_sunlight * max(dot(normal, u_sun), 0.0);
  material.diffuse = hazed(capped(own * light), place);
}`;

export interface ModelLight {
  air: Air;
  /** Away from the ground, and towards the sun, in fixed axes. */
  up: Cartesian3;
  sun: Cartesian3;
  /** Colour of the direct light times its strength, and strength of the light from everywhere, 1 by day. */
  sunlight: readonly [number, number, number];
  ambient: number;
}

export class ModelShader {
  /** For buildings, whose grey means nothing, and which are closed. */
  readonly #building = { coloured: shader(LEGEND, 0), own: shader(PLAIN, 1) };
  /** For everything else. */
  readonly #other = { coloured: shader(LEGEND, 0), own: shader(PLAIN, 0) };

  /** The shader for a tileset. */
  for(isColoured: boolean, isBuilding: boolean): CustomShader {
    const of = isBuilding ? this.#building : this.#other;
    return isColoured ? of.coloured : of.own;
  }

  /** Whether buildings are cut, and show the surface of the cut. */
  set isCut(value: boolean) {
    for (const one of Object.values(this.#building)) one.setUniform('u_cut', value ? 1 : 0);
  }

  set({ air, up, sun, sunlight, ambient }: ModelLight): void {
    for (const one of [...Object.values(this.#building), ...Object.values(this.#other)]) {
      one.setUniform('u_up', up);
      one.setUniform('u_sun', sun);
      one.setUniform('u_sunlight', new Cartesian3(...sunlight));
      one.setUniform('u_sky', scaled(air.sky, ambient));
      one.setUniform('u_ground', scaled(air.bounce, ambient));
      one.setUniform('u_roof', new Cartesian3(...linear(air.roof)));
      one.setUniform('u_wall', new Cartesian3(...linear(air.wall)));
      one.setUniform('u_haze', new Cartesian3(...linear(air.horizon)));
      one.setUniform('u_reach', new Cartesian2(air.hazeFrom, air.hazeTo));
    }
  }
}

function scaled(colour: readonly number[], by: number): Cartesian3 {
  return new Cartesian3(colour[0]! * by, colour[1]! * by, colour[2]! * by);
}

function shader(text: string, plain: number): CustomShader {
  // A value of its own for each: it is overwritten in place.
  const vector = () => ({ type: UniformType.VEC3, value: new Cartesian3(1, 1, 1) });
  return new CustomShader({
    lightingModel: LightingModel.UNLIT,
    uniforms: {
      u_up: vector(),
      u_sun: vector(),
      u_sunlight: vector(),
      u_sky: vector(),
      u_ground: vector(),
      u_roof: vector(),
      u_wall: vector(),
      u_haze: vector(),
      u_reach: { type: UniformType.VEC2, value: new Cartesian2(1, 2) },
      u_cap: { type: UniformType.VEC3, value: new Cartesian3(...linear(CUT_SURFACE)) },
      u_cut: { type: UniformType.FLOAT, value: 0 },
      u_plain: { type: UniformType.FLOAT, value: plain },
    },
    fragmentShaderText: text,
  });
}
