declare module '*.module.css' {
  const names: Readonly<Record<string, string>>;
  export default names;
}
/** Two names of one class: the package's, which a browser has, and Node's, by whose type the shared code knows it. */
declare module 'buffer/index.js' {
  export const Buffer: typeof globalThis.Buffer;
  export type Buffer = globalThis.Buffer;
}
