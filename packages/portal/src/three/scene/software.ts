/** How software that draws in place of a graphics card calls itself: that of Mesa, Google, Microsoft and Apple. */
const SOFTWARE = /llvmpipe|softpipe|swiftshader|basic render driver|software renderer/i;
/** What Chromium and Safari say to everybody; who really draws is behind an extension. */
const MASKED = 'WebKit WebGL';

/** Whether the processor draws, as the name of what draws says; false where that is hidden. */
export function drawsInSoftware(
  gl: Pick<WebGL2RenderingContext, 'RENDERER' | 'getExtension' | 'getParameter'> | null,
): boolean {
  if (gl === null) return false;
  const name = gl.getParameter(gl.RENDERER);
  if (name !== MASKED) return SOFTWARE.test(name);
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info !== null && SOFTWARE.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
}
