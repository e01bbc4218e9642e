/** Encoders of meshes by the option that asks for them. */
import { loadDraco } from '../mesh/draco.ts';
import { loadMeshopt } from '../mesh/meshopt.ts';
import type { ConvertOptions } from '../part-maker.ts';
import type { GlbOptions } from './glb.ts';

export async function compressionOf({
  compression,
}: Pick<ConvertOptions, 'compression'>): Promise<GlbOptions['compression']> {
  if (compression === 'draco') return { kind: 'draco', module: await loadDraco() };
  if (compression === 'meshopt') return { kind: 'meshopt', encoder: await loadMeshopt() };
  return { kind: 'none' };
}
