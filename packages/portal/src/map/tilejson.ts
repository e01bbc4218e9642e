/** What the map needs of a TileJSON document of the service. */
export interface TileJson {
  tiles: string[];
  minzoom: number;
  maxzoom: number;
  bounds: [number, number, number, number];
  vector_layers: Array<{ id: string; fields: Record<string, string> }>;
  attribution?: string;
}
