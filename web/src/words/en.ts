import type { Problem, RefusalCode } from '@voelgoed/client'
import type { Format } from './format.ts'

/** What a refusal means to the person in front of the screen, and what they can do now. */
type RefusalWords = Readonly<Record<RefusalCode, (problem: Problem) => string>>

const count = (value: unknown) => (typeof value === 'number' ? value : 0)

export function en(format: Format) {
  const n = format.number
  const seats = (many: number) => `${n(many)} ${many === 1 ? 'seat' : 'seats'}`
  const places = (many: number) => `${n(many)} ${many === 1 ? 'place' : 'places'}`
  const duration = (seconds: number) => {
    if (seconds < 90) return `${n(seconds)} ${seconds === 1 ? 'second' : 'seconds'}`
    return `${n(Math.round(seconds / 60))} minutes`
  }
  const refusals: RefusalWords = {
    invalid_request: () =>
      'That did not go through as it should. Check what you entered, or reload the page.',
    event_not_available: () => 'This event is not on sale at the moment. Look for another date.',
    event_sales_closed: problem =>
      typeof problem.sale_start === 'string' && Date.parse(problem.sale_start) > Date.now()
        ? `Sales have not begun yet. They begin on ${format.dateTime(problem.sale_start)}.`
        : 'Sales for this event are closed. Look for another date.',
    unauthorized: () => 'The email address and the password do not match. Try again.',
    forbidden: () => 'Your account may not do this. Sign in with another one.',
    account_disabled: () => 'This account has been disabled. Ask the organizer why.',
    organization_suspended: () =>
      'This organizer sells nothing at the moment. Tickets that you have bought stay valid.',
    zone_access_denied: () =>
      'These places are for members. Sign in with a membership, or choose another area.',
    not_found: () => 'There is nothing here. Go back to the list of events.',
    organization_not_found: () => 'We know no organizer of this name. Check the address.',
    user_not_found: () => 'This account no longer exists. Sign in with another one.',
    venue_not_found: () => 'This venue no longer exists. Go back to the list of events.',
    layout_not_found: () => 'This hall no longer exists. Go back to the list of events.',
    event_not_found: () => 'This event does not exist, or not any more. Go back to the list of events.',
    zone_not_found: () => 'This area is not part of the event any more. Reload the page.',
    seat_not_found: () => 'This seat is not part of the event any more. Reload the page.',
    hold_not_found: () => 'These seats are no longer held for you. Choose again.',
    already_exists: () => 'There is an account with this email address already. Sign in instead.',
    seat_held_by_another_user: problem =>
      `Someone was a moment quicker. The seat may be free again in ${duration(count(problem.expires_in))}.`,
    seat_not_available: () => 'This seat has gone. Choose another one.',
    zone_not_sold: () => 'This area is not on sale for this event. Choose another one.',
    zone_at_capacity: problem =>
      count(problem.available) > 0
        ? `There are only ${places(count(problem.available))} left here. Ask for fewer.`
        : 'There is nothing left here. Choose another area.',
    layout_frozen: () => 'The hall can not be changed while the event is on sale.',
    layout_in_use: () => 'The hall is in use and can not be changed.',
    invalid_transition: () => 'This is not possible at the moment. Reload the page.',
    idempotency_key_in_use: () => 'Your request is still on its way. Wait a moment.',
    hold_in_payment: () => 'These seats are being paid for. Finish or cancel the payment first.',
    hold_expired: () => 'Your time for these seats has run out. Choose again if they are still free.',
    payload_too_large: () => 'That was too much at once. Choose fewer seats.',
    unsupported_media_type: () => 'This page is out of date. Reload it.',
    idempotency_key_reused: () => 'This page is out of date. Reload it.',
    layout_invalid: () => 'The hall has mistakes in it. The organizer has to mend them.',
    too_many_seats: problem =>
      `You can book ${seats(count(problem.limit))} at most. Give one back to choose another.`,
    quota_exceeded: problem =>
      problem.quota === 'max_wheelchair_seats_per_booking'
        ? `You can book ${n(count(problem.limit))} wheelchair ${count(problem.limit) === 1 ? 'place' : 'places'} at most. Ask the organizer for more.`
        : 'You have taken as many as you may for now. Give something back, or wait a little.',
    rate_limited: problem =>
      count(problem.retry_after) > 0
        ? `That was a lot in a short time. Try again in ${duration(count(problem.retry_after))}.`
        : 'That was a lot in a short time. Wait a moment and try again.',
    internal_error: () => 'Something went wrong on our side. Nothing was booked; try again.',
    busy: () => 'Very many people are here just now. Try again in a moment.',
    database_unavailable: () => 'We can not look after seats for a moment. Try again soon.',
  }
  return {
    refusals,
    language: 'Language',
    skip: 'Skip to the content',
    loading: 'Loading …',
    reload: 'Reload',
    close: 'Close',
    unreachable: 'We can not reach the server.',
    tryingAgain: 'Trying again by ourselves …',
    seats,
    places,
    home: {
      title: 'Choose your seats',
      explain: 'Every organizer has an address of its own here, such as',
      label: 'Name of the organizer',
      go: 'Open',
      recent: 'You were here before',
    },
    storefront: {
      title: 'Events',
      none: 'Nothing is on sale at the moment. Come back soon.',
      left: (left: number, total: number) => `${n(left)} of ${n(total)} left`,
      soldOut: 'Nothing left at the moment',
      from: (when: string) => `On sale from ${when}`,
      closed: 'Sales are closed',
      choose: 'Choose seats',
      held: (many: number) => `${seats(many)} held for you`,
      more: 'More events',
      noDate: 'Date to be announced',
      until: (first: string, last: string) => `${first} to ${last}`,
    },
    event: {
      back: 'Events',
      map: 'Map',
      list: 'List',
      view: 'Show the hall as',
      mapLabel:
        'Map of the hall. Arrow keys move it, plus and minus zoom. The list has everything that is on it.',
      listLabel: 'All areas, rows and seats',
      legend: 'What the signs mean',
      connecting: 'Looking which seats are free …',
      live: 'Live',
      offline: 'No connection. What you see may be out of date; your seats stay held for the time shown.',
      backOnline: 'Connected again. Everything is up to date.',
      zoomIn: 'Zoom in',
      zoomOut: 'Zoom out',
      fit: 'Whole hall',
      free: (many: number) => `${n(many)} free`,
      full: 'Full',
      ended: 'The event is no longer on sale.',
    },
    status: {
      free: 'free',
      held: 'held by someone',
      sold: 'sold',
      blocked: 'not for sale',
      mine: 'held for you',
      pending: 'on its way',
    },
    category: {
      standard: 'seat',
      wheelchair: 'wheelchair place',
      companion: 'companion seat',
      restricted_view: 'restricted view',
      aisle: 'aisle seat',
    },
    zoneType: {
      reserved_seating: 'Numbered seats',
      ga_seated: 'Free seating',
      ga_standing: 'Standing',
      vip_reserved: 'Members, numbered seats',
      vip_standing: 'Members, standing',
    },
    list: {
      row: (row: string) => `Row ${row}`,
      seat: (row: string, number: string) => `Row ${row}, seat ${number}`,
      zoneFree: (free: number, capacity: number) => `${n(free)} of ${n(capacity)} free`,
      rowFree: (free: number) => (free === 0 ? 'nothing free' : `${n(free)} free`),
      aisle: 'aisle',
      onlyFree: 'Only where something is free',
      showOnMap: 'Show on the map',
      noneFree: 'Nothing is free at the moment.',
    },
    seatCard: {
      section: 'Section',
      row: 'Row',
      seat: 'Seat',
      name: (zone: string, row: string, number: string) => `${zone}, row ${row}, seat ${number}`,
      atAisle: 'at an aisle',
      unknown: 'not known yet',
      waiting: 'We are looking which seats are free …',
      waitingOffline: 'Without a connection we can not see which seats are free.',
    },
    zone: {
      howMany: 'How many?',
      fewer: 'One fewer',
      more: 'One more',
      take: (many: number) => `Hold ${places(many)}`,
      members: 'These places are for members.',
      signInFirst: 'Sign in to take them.',
      notYours: 'Your account does not include them.',
      left: (many: number) => (many === 0 ? 'Nothing left at the moment' : `${places(many)} left`),
    },
    panel: {
      title: 'Your seats',
      none: 'Nothing chosen yet. Tap a seat on the map, or choose one from the list.',
      timeLeft: 'Time left',
      heldFor: (time: string) => `Held for you for another ${time}`,
      hurry: 'Not much time left',
      extend: 'More time',
      extended: (seconds: number) => `You have ${duration(seconds)} now.`,
      noMoreTime: 'There is no more time to be had for these seats.',
      giveBack: 'Give back',
      giveBackAll: 'Give all back',
      gaveBack: (what: string) => `Given back: ${what}.`,
      show: 'Show',
      ofMany: (what: string, zone: string) => `${zone}: ${what}`,
      soon: (seconds: number) => `${duration(seconds)} left for your seats.`,
    },
    taken: {
      held: (what: string) => `${what} is held for you.`,
      releasing: (what: string) => `${what} is being given back.`,
      isHeld: (what: string) => `${what} is held by someone else just now.`,
      isSold: (what: string) => `${what} is sold.`,
      isBlocked: (what: string) => `${what} is not for sale.`,
      isNearby: 'Close by and free:',
      takeThese: (what: string) => `Take ${what}`,
      unknown: 'We do not know yet whether that went through. We look as soon as the connection is back.',
      offline: 'Without a connection no seat can be taken. Try again when you are back.',
    },
    expired: {
      title: 'Your time has run out',
      explain: 'These went back on sale:',
      again: 'Try again',
      dismiss: 'Choose others',
      back: (what: string) => `You have ${what} back.`,
    },
    account: {
      guest: 'Sign in',
      signIn: 'Sign in',
      signUp: 'Create an account',
      signOut: 'Sign out',
      email: 'Email address',
      password: 'Password',
      passwordHint: 'At least 8 characters',
      noAccount: 'No account yet?',
      haveAccount: 'You have an account already?',
      signedIn: (email: string) => `You are signed in as ${email}.`,
      signedOut: 'You are signed out.',
      movedHolds: 'Your seats came along.',
      lostHolds: 'Your seats could not come along: they have gone meanwhile.',
    },
    notFound: {
      title: 'Not here',
      organization: 'We know no organizer of this name. Check the address you were given.',
      event: 'This event does not exist, or not any more.',
      page: 'There is nothing at this address.',
      home: 'To the front page',
    },
  }
}

export type Words = ReturnType<typeof en>
