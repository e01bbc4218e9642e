export function BasketPanel() {
  return <p>…</p>;
}
