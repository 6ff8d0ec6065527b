import { findChromium } from '../../scripts/find-chromium.mjs'

/**
 * Installed once before all tests, where it is missing: two files that both try would be in each other's way.
 */
export default function setup(): void {
  try {
    findChromium()
  } catch {
    // The tests that need it say so.
  }
}
