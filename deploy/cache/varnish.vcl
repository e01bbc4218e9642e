vcl 4.1;
# A cache before the servers, Varnish 7.1 (Debian 12) and newer. How long an answer is kept, its Cache-Control says;
# stale-while-revalidate becomes Varnish's grace. purge-varnish.sh makes the cache forget what a publication changed.

import std;

# The balancer of nginx.conf, or a server.
backend citymodel {
  .host = "127.0.0.1";
  .port = "8090";
  .connect_timeout = 2s;
  # A server waits 15 s for its stores before it answers 503, and streams may pause.
  .first_byte_timeout = 120s;
  .between_bytes_timeout = 120s;
}

# Who may drop answers.
acl citymodel_purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "BAN") {
    if (client.ip !~ citymodel_purgers) {
      return (synth(403));
    }
    if (req.http.Surrogate-Key !~ "^[a-z0-9-]+$") {
      return (synth(400));
    }
    if (!std.ban("obj.http.Surrogate-Key ~ (^|\s)" + req.http.Surrogate-Key + "(\s|$)")) {
      return (synth(500, std.ban_error()));
    }
    return (synth(204));
  }
  # Figures and the operator's page are nothing for a public cache.
  if (req.url ~ "^/(metrics|status\.json|admin)([/?]|$)") {
    return (synth(404));
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Nothing of the answers depends on who asks.
  unset req.http.Cookie;
  unset req.http.Authorization;
  # Large files, of which callers read ranges: Varnish would fetch them whole.
  if (req.http.Range || req.url ~ "\.zip(\?|$)") {
    return (pass);
  }
  return (hash);
}

sub vcl_hash {
  # Whatever name callers use for the host.
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_response {
  # To ask with its entity tag whether it is still the same.
  set beresp.keep = 10m;
  if (beresp.http.Cache-Control !~ "stale-while-revalidate") {
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
  # Keys are for caches.
  unset resp.http.Surrogate-Key;
  unset resp.http.Cache-Tag;
}
