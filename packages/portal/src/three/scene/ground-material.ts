/** How a picture of the ground is shown: in the light of the hour, over plain land, fading into the horizon. */
import type { Bounds } from '@citymodel/geo';
import { Material, MaterialAppearance, type Scene, TextureMinificationFilter } from 'cesium';
import type { Air, Rgb } from './air.ts';
import type { Border } from './ground-border.ts';
import type { GroundPicture } from './ground-picture.ts';
import { Sampler, Texture } from './private-cesium.ts';

/** Samples along a pixel that lies slanted: more take long without a graphics card. */
const SLANTED = 4;
/** Part of the light that a baked shadow takes. */
const SHADE = 0.3;
/** How much slopes turned from the light are darker than level ground, and how much others are brighter. */
const [DARKER, BRIGHTER] = [0.65, 0.3];

/**
 * The picture with the light of the hour; how far it lies in the shade is its alpha, from 1 (not at all) to 0. Slopes
 * are lighter or darker than level ground by where the light is from. Towards the border of the map it fades into the
 * land around.
 */
const MATERIAL = `
czm_material czm_getMaterial(czm_materialInput materialInput) {
  czm_material material = czm_getDefaultMaterial(materialInput);
  vec4 picture = texture(image, materialInput.st);
  vec2 inside = clamp(min(materialInput.st - border.xy, border.zw - materialInput.st) / soft, 0.0, 1.0);
  inside *= inside * (3.0 - 2.0 * inside);
  float within = inside.x * inside.y;
  vec3 colour = mix(land.rgb, picture.rgb * tint.rgb, opacity * within) * (1.0 - shade * (1.0 - picture.a));
  float lit = max(dot(materialInput.normalEC, czm_lightDirectionEC), 0.0) - level;
  colour *= 1.0 + within * lit * (lit < 0.0 ? ${DARKER} : ${BRIGHTER});
  float far = smoothstep(reach.x, reach.y, length(materialInput.positionToEyeEC));
  material.diffuse = mix(colour, haze.rgb, far);
  return material;
}`;

/**
 * Tells a material what light there is, whether shadows are seen, and how much of the map, 0 to 1.
 *
 * @param land colour of the land around, as it is shown
 * @param rise of the light above level ground, as a sine
 */
export function shade(
  appearance: MaterialAppearance,
  air: Air,
  land: Rgb,
  rise: number,
  hasShadows: boolean,
  opacity: number,
): void {
  const { uniforms } = appearance.material;
  uniforms.tint = vector(air.tint);
  uniforms.land = vector(land);
  uniforms.haze = vector(air.horizon);
  uniforms.reach = { x: air.hazeFrom, y: air.hazeTo };
  uniforms.shade = hasShadows ? SHADE : 0;
  uniforms.opacity = opacity;
  uniforms.level = Math.max(rise, 0);
}

function vector([x, y, z]: readonly number[]): { x: number; y: number; z: number; w: number } {
  return { x: x!, y: y!, z: z!, w: 1 };
}

/** Tells the material of a tile between these bounds where the map ends. */
export function endAt(
  appearance: MaterialAppearance,
  { west, south, east, north }: Bounds,
  { extent, soft }: Border,
): void {
  const { uniforms } = appearance.material;
  const [wide, high] = [east - west, north - south];
  uniforms.border = {
    x: (extent.west - west) / wide,
    y: (extent.south - south) / high,
    z: (extent.east - west) / wide,
    w: (extent.north - south) / high,
  };
  uniforms.soft = { x: soft[0] / wide, y: soft[1] / high };
}

/** Shows a picture; the code that made the texture destroys it. */
export function appearanceOf(texture: object): MaterialAppearance {
  const material = new Material({
    // The `Image` of CesiumJS looks each pixel up twice, and begins the picture again at its edge, where a line would
    // show.
    fabric: {
      uniforms: {
        image: Material.DefaultImageId,
        tint: { x: 1, y: 1, z: 1, w: 1 },
        haze: { x: 1, y: 1, z: 1, w: 1 },
        reach: { x: 1, y: 2 },
        shade: 0,
        land: { x: 1, y: 1, z: 1, w: 1 },
        opacity: 1,
        level: 0,
        border: { x: 0, y: 0, z: 1, w: 1 },
        soft: { x: 1, y: 1 },
      },
      source: MATERIAL,
    },
    translucent: false,
  });
  material.uniforms.image = texture;
  return new MaterialAppearance({
    flat: true,
    faceForward: false,
    translucent: false,
    materialSupport: MaterialAppearance.MaterialSupport.TEXTURED,
    material,
  });
}

/** A picture that is clear also where it lies flat and far away. */
export function textureOf(scene: Scene, picture: GroundPicture): InstanceType<typeof Texture> {
  // Materials make textures without smaller copies by themselves; CesiumJS exports what is needed without describing
  // it.
  const { context } = scene as unknown as { context: { maximumTextureFilterAnisotropy: number } };
  const texture = new Texture({
    context,
    source: picture,
    sampler: new Sampler({
      minificationFilter: TextureMinificationFilter.LINEAR_MIPMAP_LINEAR,
      maximumAnisotropy: Math.min(SLANTED, context.maximumTextureFilterAnisotropy),
    }),
  });
  texture.generateMipmap();
  return texture;
}
