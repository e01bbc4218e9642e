/** The catalogue, asked for once and shared by every view. */
import { api } from './api.ts';
import { type City, type CityGmlRow, type CompositeRow, citiesOf, type DatasetRow } from './catalogue.ts';

export interface Catalogue {
  datasets: DatasetRow[];
  cities: City[];
}

let catalogue: Promise<Catalogue> | null = null;
let composites: Promise<CompositeRow[]> | null = null;

/** Datasets and municipalities. A failure is forgotten, so that the next caller tries again. */
export function loadCatalogue(): Promise<Catalogue> {
  catalogue ??= api<{ datasets: DatasetRow[]; citygml: CityGmlRow[] }>(
    '/datacatalog/citymodel-datasets?fields=datasets,citygml&all_years=true',
  )
    .then(({ datasets, citygml }) => ({ datasets, cities: citiesOf(citygml, datasets) }))
    .catch((error) => {
      catalogue = null;
      throw error;
    });
  return catalogue;
}

/** Composite tilesets, which only the 3D view needs. */
export function loadComposites(): Promise<CompositeRow[]> {
  composites ??= api<{ composite_tilesets: CompositeRow[] }>(
    '/datacatalog/citymodel-datasets?fields=composite_tilesets',
  )
    .then((document) => document.composite_tilesets)
    .catch((error) => {
      composites = null;
      throw error;
    });
  return composites;
}
