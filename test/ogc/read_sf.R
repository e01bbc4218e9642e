# Reads features of a whole city as FlatGeobuf and as GeoJSON with sf, and prints what it has read as JSON.
suppressWarnings(suppressMessages(library(sf)))

# R may write other signs than letters in names of columns as full stops.
column <- function(table, name) table[[match(make.names(name), make.names(names(table)))]]

arguments <- commandArgs(trailingOnly = TRUE)
places <- st_read(arguments[1], quiet = TRUE)
listed <- st_read(arguments[2], quiet = TRUE)
box <- st_bbox(places)
middle <- unname((box["xmin"] + box["xmax"]) / 2)
west <- st_as_text(st_as_sfc(st_bbox(c(
  xmin = unname(box["xmin"]), ymin = unname(box["ymin"]), xmax = middle, ymax = unname(box["ymax"])
))))
# By the spatial index of the file.
boxed <- st_read(arguments[1], wkt_filter = west, quiet = TRUE)
same <- match(column(places, "gml:id"), column(listed, "gml:id"))
heights <- column(places, "bldg:measuredHeight")
cat(sprintf(
  '{"count": %d, "listed": %d, "epsg": %d, "valid": %d, "boxed": %d, "tall": %d, "same": %s}\n',
  nrow(places), nrow(listed), st_crs(places)$epsg, sum(st_is_valid(places)), nrow(boxed),
  sum(heights > 10, na.rm = TRUE),
  tolower(!anyNA(same) && identical(heights, as.numeric(column(listed, "bldg:measuredHeight")[same])))
))
