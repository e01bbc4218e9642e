/** What CesiumJS exports and does not describe. */
import * as cesium from 'cesium';

interface SamplerOptions {
  minificationFilter: number;
  maximumAnisotropy: number;
}

interface PrivateParts {
  Sampler: new (options: SamplerOptions) => object;
  Texture: new (options: {
    context: object;
    source: { arrayBufferView: Uint8Array; width: number; height: number };
    sampler: object;
  }) => {
    generateMipmap(): void;
    destroy(): void;
  };
}

/** The shadow map of a scene, whose biases have no setting. */
export interface PrivateShadowMap {
  enabled: boolean;
  darkness: number;
  softShadows: boolean;
  size: number;
  maximumDistance: number;
  _primitiveBias: { depthBias: number; normalOffsetScale: number };
}

/** A tile, of which CesiumJS does not say whether it has content of its own. */
export interface PrivateTile {
  hasEmptyContent: boolean;
}

// By name, so that the bundler sees what is needed.
export const Sampler = (cesium as unknown as PrivateParts).Sampler;
export const Texture = (cesium as unknown as PrivateParts).Texture;
