-- The plain load tool: downloads every page of a list once, and ends.
-- wrk --connections 16 --threads 1 --duration 600s --script load.lua URL -- LIST TOKEN
local paths, asked, answered = {}, 0, 0

function init(args)
  for path in io.lines(args[1]) do paths[#paths + 1] = path end
  wrk.headers["Authorization"] = "Bearer " .. args[2]
end

function request()
  -- The last connections to be free have nothing left: they ask for the last page again.
  asked = math.min(asked + 1, #paths)
  return wrk.format("GET", paths[asked])
end

function response(status)
  if status ~= 200 and status ~= 404 then
    io.stderr:write("a page was answered with ", status, "\n")
    os.exit(1)
  end
  answered = answered + 1
  if answered >= #paths then os.exit(0) end
end
