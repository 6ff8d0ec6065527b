import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The page's policy allows no inline scripts, and every browser we support preloads modules by itself.
    modulePreload: { polyfill: false },
  },
})
