-- Purpose: removes what is kept of holds that have ended (parts/forget-hold.lua).
-- KEYS: 1 seq, 2 seat_holds; then for each hold its meta key and, if it was for a seat, the seat's key.
-- ARGV: 1 writer ('' when the whole copy is being removed), then of each hold: id, seat ('' for places).
-- Returns: 1, or 0 when another attempt writes now, or has written, and nothing was removed.
if ARGV[1] == '' then
  -- A node that does not know yet that the event is over has made the copy again.
  local removed = redis.pcall('HGET', KEYS[1], 'removed')
  if removed ~= '1' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
elseif redis.call('HGET', KEYS[1], 'writer') ~= ARGV[1] then
  return 0
end
local key = 3
for index = 2, #ARGV, 2 do
  key = forget_hold(ARGV[index], ARGV[index + 1], KEYS[2], key)
end
return 1
