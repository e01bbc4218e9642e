/** What the map tells the panels, and what the panels ask of the map, which comes later than they do. */
import type { Bounds } from '@citymodel/geo';
import type { FeatureCollection } from 'geojson';
import { signal } from '../core/signal.ts';
import type { TileState } from './tile-tally.ts';

/** A feature of a vector tile that was clicked. */
export interface Hit {
  datasetId: string;
  layer: string;
  properties: Record<string, unknown>;
}

export type DrawMode = 'box' | 'polygon' | 'meshes';

/** A polygon that is being drawn, for the buttons that end it. */
export interface Drawn {
  corners: number;
  /** Closes it; for three corners and more. */
  finish(): void;
  /** Takes the last corner back. */
  undo(): void;
}

/** An area of the basket whose corners have handles. */
export interface Editing {
  /** As the address bar holds it. */
  text: string;
  /** Drawn just now, so that there is nothing before it. */
  isNew: boolean;
  /** Begun without a pointer. */
  byKeys: boolean;
}

/** What the map shows; null before it is there. */
export const mapView = signal<{ bounds: Bounds; zoom: number } | null>(null);
/** False while the map loads or moves. */
export const mapRests = signal(false);
export const mapHits = signal<Hit[]>([]);
/** How the vector tiles of the map fare. */
export const tileState = signal<TileState>({ loaded: 0, failed: 0, offline: false });
export const meshesLoading = signal(false);
/** What the pointer does on the map of the basket. */
export const drawMode = signal<DrawMode | null>(null);
export const editing = signal<Editing | null>(null);
/** What ends the handling of corners, and takes the last change back; null where there is none to take back. */
export const handled = signal<{ finish(): void; undo: (() => void) | null } | null>(null);
export const drawn = signal<Drawn | null>(null);
/** What the map shall show next; taken and cleared by the map. */
export const wanted = signal<Bounds | null>(null);
/** Boxes of the named places of the basket, by their conditions, once the service has told them. */
export const placeBoxes = signal<ReadonlyMap<string, readonly Bounds[]>>(new Map());
/** The extent of what is picked, outlined. */
export const outlined = signal<Bounds[]>([]);
/** The condition that was picked by a click on the map, which then shall not move. */
export const pickedOnMap = signal<string | null>(null);
/** Features that differ between two editions, as the map draws them; null for none. */
export const changesShown = signal<FeatureCollection | null>(null);
/** Places where rules of quality are broken, as the map draws them; null for none. */
export const findings = signal<FeatureCollection | null>(null);
