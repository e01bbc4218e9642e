/** What `plateau_explain_spatial_id` answers. */
export const SPATIAL_IDS = `A spatial ID names a cell of space.

Forms: z/x/y (all altitudes) or z/f/x/y (one floor of altitude).
- z is the zoom level, 0 to 31. x and y are those of web map tiles (Web Mercator): x from west, y from north.
- f is the floor: floor(altitude / h) with h = 2^25 / 2^z metres. It may be negative. At zoom 25 a floor is 1 m high.
- A leading slash is accepted. A tile hash is a text of digits 1 to 8, one for each zoom level.

Size of a cell at latitude 35: zoom 17 about 250 m, zoom 18 about 125 m, zoom 19 about 63 m, zoom 20 about 31 m.
Use z/x/y unless you need one altitude: tall buildings reach through many floors.

From longitude and latitude in degrees: n = 2^z; x = floor((lng + 180) / 360 * n);
y = floor((1 - asinh(tan(lat)) / pi) / 2 * n), with lat in radians for tan.

A feature lies in a cell when its solid meets the cell. Zoom 17 to 19 suits single blocks of a town; 0/0/0/0 means \
everything in a file.`;
