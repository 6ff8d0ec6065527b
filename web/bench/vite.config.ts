import { defineConfig } from 'vite'

/** The map without the page around it: `npm run bench -- map` builds it and measures it. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: { target: 'es2022', modulePreload: { polyfill: false }, emptyOutDir: true },
})
