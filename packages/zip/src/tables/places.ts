/** Gives the places of columns one behind the other in a buffer: each call the start of so many bytes more. */
export function placesFrom(base: number): (bytes: number) => number {
  let end = base;
  return (bytes) => {
    const start = end;
    end += bytes;
    return start;
  };
}
