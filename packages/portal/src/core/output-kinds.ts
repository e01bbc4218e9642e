/** Words of the catalogue for what the pages ask for by kind. */
import { OUTPUT_KINDS, SOURCE_LABEL } from '@citymodel/base';

/** Packages of CityGML. */
export const SOURCES = SOURCE_LABEL;

/** What the 3D view shows. */
export const MODELS = OUTPUT_KINDS['3dtiles'].format;

/** What the map draws as layers, and as its ground. */
export const MAP_TILES = OUTPUT_KINDS.mvt.format;
