/** A hold of the buyer: of a seat, or of places without seats. */
export interface SeatsHold {
  hold_id: string
  event_id: string
  zone_id: string
  zone_name: string
  held_until: string
  seat_id?: string
  row?: string
  seat_number?: number | string
  quantity?: number
}

/** In every event of the component. */
interface SeatsDetail {
  event_id: string
  /** A bearer token of the guest who holds the seats, for the routes of buyers. */
  token: string | null
}

export interface SeatsEventMap {
  select: CustomEvent<
    SeatsDetail & {
      place:
        | { seat_id: string; zone: string; row: string; seat: number | string }
        | { zone_id: string; zone: string }
    }
  >
  hold: CustomEvent<SeatsDetail & { holds: SeatsHold[]; granted?: SeatsHold[]; released?: SeatsHold[] }>
  expire: CustomEvent<SeatsDetail & { holds: SeatsHold[] }>
  /** Holds that were sold by the site, or released by staff or in another tab. */
  end: CustomEvent<SeatsDetail & { holds: SeatsHold[]; ended: SeatsHold[] }>
  checkout: CustomEvent<SeatsDetail & { holds: SeatsHold[] }>
  problem: CustomEvent<SeatsDetail & { code: string; message: string }>
}
