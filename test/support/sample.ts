/**
 * The sample city with packages of its tiles. Another writer than the converter made these, so that tests see what the
 * converter does not make: 3D Tiles 1.0 beside 1.1, boxes and spheres, PMTiles.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSample } from '../../packages/sample/src/sample.ts';
import { ROOT } from './program.ts';

/** Packages of tiles of the sample of the default seed and size. */
export const SAMPLE_TILES_DIRECTORY = join(ROOT, 'test/sample-tiles');

/** Writes the packages of the sample into the directory, and those of its tiles beside them. */
export async function writeSampleWithTiles(directory: string, size?: number): Promise<void> {
  await writeSample(directory, size === undefined ? {} : { size });
  await cp(SAMPLE_TILES_DIRECTORY, directory, { recursive: true });
}

/** Tile package → format version of its tileset, or its only layer. */
export const SAMPLE_TILES: Record<string, { version: '1.0' | '1.1'; features: number } | { layer: string }> =
  {
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47901_minatomi-ku_lod1': {
      version: '1.0',
      features: 135,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47901_minatomi-ku_lod2': {
      version: '1.1',
      features: 130,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47901_minatomi-ku_lod2_no_texture': {
      version: '1.1',
      features: 130,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47902_okate-ku_lod1': {
      version: '1.0',
      features: 75,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47902_okate-ku_lod2': {
      version: '1.0',
      features: 75,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_3dtiles_47902_okate-ku_lod2_no_texture': {
      version: '1.0',
      features: 75,
    },
    '47900_aonagi-shi_city_2024_citygml_1_op_bldg_mvt_lod0': { layer: 'Building' },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_natl_sumimigawa_3dtiles_l1': { version: '1.0', features: 4 },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_natl_sumimigawa_3dtiles_l2': { version: '1.0', features: 8 },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_natl_sumimigawa_mvt_l1': { layer: 'WaterBody' },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_natl_sumimigawa_mvt_l2': { layer: 'WaterBody' },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_pref_ashibegawa_3dtiles_l2': { version: '1.0', features: 4 },
    '47900_aonagi-shi_city_2024_citygml_1_op_fld_pref_ashibegawa_mvt_l2': { layer: 'WaterBody' },
    '47900_aonagi-shi_city_2024_citygml_1_op_luse_mvt_lod1': { layer: 'LandUse' },
    '47900_aonagi-shi_city_2024_citygml_1_op_tran_3dtiles_lod2': { version: '1.0', features: 50 },
    '47900_aonagi-shi_city_2024_citygml_1_op_tran_mvt_lod1': { layer: 'Road' },
    '47900_aonagi-shi_city_2024_citygml_1_op_urf_UseDistrict_mvt_lod1': { layer: 'UseDistrict' },
    '47950_shiomino-shi_city_2023_citygml_1_op_bldg_3dtiles_lod1': { version: '1.0', features: 74 },
    '47950_shiomino-shi_city_2023_citygml_1_op_tran_mvt_lod1': { layer: 'Road' },
    '47950_shiomino-shi_city_2024_citygml_1_op_bldg_3dtiles_lod1': { version: '1.0', features: 90 },
    '47950_shiomino-shi_city_2024_citygml_1_op_bldg_3dtiles_lod2': { version: '1.0', features: 72 },
    '47950_shiomino-shi_city_2024_citygml_1_op_luse_mvt_lod1': { layer: 'LandUse' },
    '47950_shiomino-shi_city_2024_citygml_1_op_tran_mvt_lod1': { layer: 'Road' },
  };
