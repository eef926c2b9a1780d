(ns stub-server
  "An HTTP server on loopback that speaks as much of the OpenAI chat API as an agent's loop needs, in the place of a model."
  (:require [clojure.data.json :as json])
  (:import (com.sun.net.httpserver HttpExchange HttpHandler HttpServer)
           (java.io Closeable)
           (java.net InetAddress InetSocketAddress)
           (java.nio.charset StandardCharsets)))

(defn- respond [^HttpExchange exchange answer]
  (let [body (.getBytes (json/write-str answer) StandardCharsets/UTF_8)]
    (.add (.getResponseHeaders exchange) "Content-Type" "application/json")
    (.sendResponseHeaders exchange 200 (alength body))
    (with-open [out (.getResponseBody exchange)]
      (.write out body))))

(defn start
  "Starts a server where `model` answers: (fn [request]), the assistant's message for a request of the chat API. Gives the
  server, to be closed, as a map of its :url, the :requests it got so far, an atom, and :close."
  [model]
  (let [requests (atom [])
        server   (HttpServer/create (InetSocketAddress. (InetAddress/getLoopbackAddress) 0) 0)]
    (.createContext server "/v1/chat/completions"
                    (reify HttpHandler
                      (handle [_ exchange]
                        (let [request (json/read-str (slurp (.getRequestBody ^HttpExchange exchange) :encoding "UTF-8")
                                                     :key-fn keyword)]
                          (swap! requests conj request)
                          (respond exchange {:object  "chat.completion"
                                             :model   (:model request)
                                             :choices [{:index 0, :finish_reason "stop", :message (model request)}]})))))
    (.start server)
    {:url      (str "http://127.0.0.1:" (.getPort (.getAddress server)) "/v1/chat/completions")
     :requests requests
     :close    (reify Closeable (close [_] (.stop server 0)))}))
