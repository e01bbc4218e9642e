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

interface PrivateContent {
  _model?: {
    structuralMetadata?: {
      propertyTables?: Array<{ class?: { properties?: Record<string, { name?: unknown }> } }>;
    };
  };
}

/** What the schema of a glTF content says of the properties of its features, by identifier; nothing for other tiles. */
export function propertiesOf(content: object): Record<string, { name?: unknown }> {
  const table = (content as PrivateContent)._model?.structuralMetadata?.propertyTables?.[0];
  return table?.class?.properties ?? {};
}

// By name, so that the bundler sees what is needed.
export const Sampler = (cesium as unknown as PrivateParts).Sampler;
export const Texture = (cesium as unknown as PrivateParts).Texture;
