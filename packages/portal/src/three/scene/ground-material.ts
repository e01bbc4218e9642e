/** How a picture of the ground is shown: in the light of the hour, over plain land, fading into the horizon. */
import { Material, MaterialAppearance, type Scene, TextureMinificationFilter } from 'cesium';
import type { Air } from './air.ts';
import type { GroundPicture } from './ground-picture.ts';
import { Sampler, Texture } from './private-cesium.ts';

/** Part of the light that a baked shadow takes. */
const SHADE = 0.3;

/** The picture with the light of the hour; how far it lies in the shade is its alpha, from 1 (not at all) to 0. */
const MATERIAL = `
czm_material czm_getMaterial(czm_materialInput materialInput) {
  czm_material material = czm_getDefaultMaterial(materialInput);
  vec4 picture = texture(image, materialInput.st);
  vec3 colour = mix(land.rgb, picture.rgb * tint.rgb, opacity) * (1.0 - shade * (1.0 - picture.a));
  float far = smoothstep(reach.x, reach.y, length(materialInput.positionToEyeEC));
  material.diffuse = mix(colour, haze.rgb, far);
  return material;
}`;

/** Tells a material what light there is, whether shadows are seen, and how much of the map, 0 to 1. */
export function shade(appearance: MaterialAppearance, air: Air, hasShadows: boolean, opacity: number): void {
  const { uniforms } = appearance.material;
  uniforms.tint = vector(air.tint);
  uniforms.land = vector(air.land);
  uniforms.haze = vector(air.horizon);
  uniforms.reach = { x: air.hazeFrom, y: air.hazeTo };
  uniforms.shade = hasShadows ? SHADE : 0;
  uniforms.opacity = opacity;
}

function vector([x, y, z]: readonly number[]): { x: number; y: number; z: number; w: number } {
  return { x: x!, y: y!, z: z!, w: 1 };
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
      },
      source: MATERIAL,
    },
    translucent: false,
  });
  material.uniforms.image = texture;
  return new MaterialAppearance({
    flat: true,
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
      maximumAnisotropy: Math.min(8, context.maximumTextureFilterAnisotropy),
    }),
  });
  texture.generateMipmap();
  return texture;
}
