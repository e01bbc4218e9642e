/** The part of gltf-validator (which has no types) that is used here. */
declare module 'gltf-validator' {
  interface Options {
    maxIssues?: number;
    externalResourceFunction?: (uri: string) => Promise<Uint8Array>;
  }
  interface Message {
    code: string;
    message: string;
    /** 0 error, 1 warning, 2 information, 3 hint. */
    severity: number;
    pointer?: string;
  }
  const validator: {
    validateBytes(bytes: Uint8Array, options?: Options): Promise<{ issues: { messages: Message[] } }>;
  };
  export default validator;
}
