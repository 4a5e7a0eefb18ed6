/** Builds the page into `dist`: files of this origin alone, nothing inline, so that a strict policy lets all of it run. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const platform = (name: string) => join(import.meta.dirname, 'src/platform', name);

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: {
    // what the shared code takes from Node, in a browser
    alias: {
      'node:crypto': platform('browser-crypto.ts'),
      'node:buffer': platform('browser-buffer.ts'),
      'sodium-native': join(import.meta.dirname, '../client/src/platform/sodium-in-script.ts'),
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // a picture inside a script would be a `data:` address; a script inside the page would be inline
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      transform: { inject: { Buffer: [platform('browser-buffer.ts'), 'Buffer'] } },
    },
  },
});
