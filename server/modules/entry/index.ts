import type { Kit, Module } from '../module.ts'
import { serveAttendance } from './routes/attendance.ts'
import { type EntryNeeds, serveScans } from './routes/scans.ts'
import { createScanMetrics } from './scan-metrics.ts'

/**
 * Tickets at the gates. A scan lets a person in or out, or says why not. A device without a network fetches
 * before it what it needs to judge by itself, and uploads afterwards what it did. Staff see who came, and
 * where two gates contradict each other.
 */
export function openEntry(kit: Kit, needs: EntryNeeds): Module {
  const scans = createScanMetrics(kit.metrics)
  return {
    name: 'entry',
    routes(router) {
      serveScans(router, kit, { ...needs, scans })
      serveAttendance(router, kit, needs)
    },
  }
}
