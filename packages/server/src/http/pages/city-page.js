/* What the page of a municipality has beyond its text: buttons that copy, and the choice of colours. */

for (const button of document.querySelectorAll('button[data-copy]')) {
  const words = button.textContent;
  button.hidden = false;
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = words;
    }, 2_000);
  });
}

const theme = document.getElementById('theme');
theme.hidden = false;
theme.addEventListener('change', () => {
  const query = new URLSearchParams(location.search);
  if (theme.value === '') query.delete('theme');
  else query.set('theme', theme.value);
  location.search = query.toString();
});
