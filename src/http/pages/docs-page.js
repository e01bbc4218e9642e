/* Shows the OpenAPI description of this service; nothing is fetched from anywhere else. */
const docs = document.getElementById('docs');

window.SwaggerUIBundle({
  url: docs.dataset.url,
  domNode: docs,
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
});
