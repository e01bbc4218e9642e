/** The layers that a model of a municipality stands among: what is shown, and what may be. */
import { formatTilesSpec, type TilesSpec } from 'citymodel-server/shared';
import type { DatasetRow } from '../core/catalogue.ts';
import { bestOf, choiceOf, keyOf, kindsOf, type ModelKind } from './choice.ts';

export interface Layer {
  /** Model as the address has it: a spec, or the id of a dataset. */
  id: string;
  /** What it is; null for a model that is none of the municipality. */
  kind: ModelKind | null;
  spec: TilesSpec | null;
  isShown: boolean;
}

/**
 * The model first, then what stands beside it, then what else the municipality has: its other kinds, the best and
 * newest of each, and other years of the model.
 */
export function layersOf(model: string, also: readonly string[], datasets: readonly DatasetRow[]): Layer[] {
  const kinds = kindsOf(datasets);
  const layerOf = (id: string, isShown: boolean): Layer => {
    const spec = choiceOf(id, datasets);
    const kind = spec === null ? undefined : kinds.find(({ key }) => key === keyOf(spec));
    return { id, kind: kind ?? null, spec, isShown };
  };
  const shown = [model, ...also].map((id) => layerOf(id, true));
  const keys = new Set(shown.map(({ kind }) => kind?.key));
  const [main] = shown;
  const taken = new Set(shown.map(yearOfLayer));
  const years = (main?.kind?.years ?? []).flatMap((year): Layer[] => {
    const spec = { ...main!.spec!, year };
    const layer = { id: formatTilesSpec(spec), kind: main!.kind, spec, isShown: false };
    return taken.has(yearOfLayer(layer)) ? [] : [layer];
  });
  const others = kinds
    .filter(({ key }) => !keys.has(key))
    .map((kind) => layerOf(formatTilesSpec(bestOf(datasets[0]!.city_code, kind)), false));
  return [...shown, ...others, ...years];
}

/** Type and year that a layer shows: the newest stands for its year. */
function yearOfLayer({ id, kind, spec }: Layer): string {
  return kind === null || spec === null
    ? id
    : `${kind.key} ${spec.year === 'latest' ? kind.years[0] : spec.year}`;
}
